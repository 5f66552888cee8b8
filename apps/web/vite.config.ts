import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { build, defineConfig, type Plugin, type Rolldown } from 'vite'

/** The parts of nearly every page. The last ones have less than 2 kB each and belong to most of the main pages. */
const COMMON = [
  /[\\/]web[\\/]src[\\/](ui|session|labels)[\\/]/,
  /[\\/]lucide-react[\\/]/,
  /[\\/]constants[\\/](text|limits)\.ts$/,
  /[\\/](keys-query|lists-query|validate-snippets|text-files|Checklist|ListProgress|SecretReveal|Tags)\.tsx?$/,
]

/**
 * What the first page needs is in one file, and so are the parts of several pages: over HTTP/1.1 a browser requests six files at a
 * time, and with more of them a page waits for the network twice.
 */
const PIECES: Rolldown.CodeSplittingGroup[] = [
  { name: 'shell', tags: ['$initial'], priority: 3 },
  // Nearly all of the pages for signing in.
  {
    name: 'form',
    test: /[\\/]web[\\/]src[\\/]ui[\\/](Callout|Field|Form)\.tsx$|[\\/](useMutation|mutationObserver)\.js$/,
    priority: 2,
  },
  { name: 'ui', test: (id) => COMMON.some((part) => part.test(id)), priority: 1 },
  {
    name: 'result',
    test: /[\\/]pages[\\/]validations[\\/](result|validate)[\\/]|model-parameters\.ts$/,
    minShareCount: 2,
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
