import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { build, defineConfig, type Plugin, type Rolldown } from 'vite'

/**
 * What the first page needs goes in one piece, and so do the parts that nearly every page is made of: each icon as a file of its own
 * would be a request for every few hundred bytes.
 */
const PIECES: Rolldown.CodeSplittingGroup[] = [
  { name: 'shell', tags: ['$initial'], priority: 3 },
  // Nearly all of the pages for signing in.
  { name: 'form', test: /[\\/]web[\\/]src[\\/]ui[\\/](Callout|Field|Form)\.tsx$/, priority: 2 },
  {
    name: 'ui',
    test: /[\\/]web[\\/]src[\\/](ui|session|labels)[\\/]|[\\/]roles\.ts$|[\\/]lucide-react[\\/]/,
    priority: 1,
  },
]

export default defineConfig({
  base: '/app/',
  plugins: [react(), tailwindcss(), compressOnce(), buildForm()],
  // The api puts a fresh one in its place with every page it sends.
  html: { cspNonce: '__NONCE__' },
  // `pnpm dev`: what is no file of the web app comes from the API, which sees the address of this server as its own.
  server: { proxy: { '^/(?!app/)|^/app/api/': { target: process.env['API_URL'] ?? 'http://127.0.0.1:3000' } } },
  build: {
    target: 'es2022',
    sourcemap: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700, // kB before compression; testing/e2e/web/speed.test.ts counts what is sent
    rolldownOptions: { output: { codeSplitting: { groups: PIECES } } },
  },
})

/** Compresses each file here and not with every request: the api sends what lies beside it. */
function compressOnce(): Plugin {
  return {
    name: 'compress-once',
    apply: 'build',
    async writeBundle({ dir = 'dist' }) {
      const assets = join(dir, 'assets')
      const names = (await readdir(assets)).filter((name) => /\.(js|css)$/.test(name))
      await Promise.all(names.map((name) => compress(join(assets, name))))
    },
  }
}

/** What other sites put into their forms: a file of its own, which a plain script tag can load. */
function buildForm(): Plugin {
  return {
    name: 'build-form',
    apply: 'build',
    async writeBundle({ dir = 'dist' }) {
      const entry = join(import.meta.dirname, 'src/form/form.ts')
      await build({
        configFile: false,
        publicDir: false,
        logLevel: 'warn',
        build: {
          target: 'es2022',
          outDir: dir,
          emptyOutDir: false,
          lib: { entry, formats: ['iife'], name: 'probityForm', fileName: () => 'form.js' },
        },
      })
    },
  }
}

async function compress(file: string): Promise<void> {
  const content = await readFile(file)
  await writeFile(`${file}.gz`, await promisify(gzip)(content))
  await writeFile(`${file}.br`, await promisify(brotliCompress)(content))
}
