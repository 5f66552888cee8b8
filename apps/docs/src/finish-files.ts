import { hash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { AstroIntegration } from 'astro'
import { finishPage, type Loose } from './finish-page.ts'
import { describeForPrograms } from './for-programs.ts'
import { BASE, readTexts } from './texts.ts'

/** Names change with contents in here, so the api lets browsers keep these files for good. */
const ASSETS = '_astro'
/** Other faces that the search could have; Starlight brings its own. */
const UNUSED = /pagefind-(ui|modular-ui|component-ui|highlight)\.(js|css)$/
const COMPRESSED = /\.(html|js|css|json|svg|txt|md)$/

/** What is left to do once the pages are written: no code in them, Markdown beside them, and everything compressed once. */
export function finishFiles(): AstroIntegration {
  return {
    name: 'finish-files',
    hooks: {
      'astro:build:done': async ({ dir }) => {
        const folder = fileURLToPath(dir)
        await finishPages(folder)
        for (const [name, content] of describeForPrograms(readTexts())) await write(folder, name, content)
        for (const file of (await listFiles(folder)).filter((name) => UNUSED.test(name))) await rm(file)
        const files = await listFiles(folder)
        await Promise.all(files.filter((file) => COMPRESSED.test(file)).map(compress))
      },
    },
  }
}

/** Pages may run no script and wear no style that is not a file, so what Starlight has put into them becomes files. */
async function finishPages(folder: string): Promise<void> {
  const files = (await listFiles(folder)).filter((file) => file.endsWith('.html'))
  const loose: Loose = { styles: new Map(), scripts: new Set(), scriptAddress: (code) => `${BASE}/${scriptName(code)}` }
  const pages = await Promise.all(
    files.map(async (file) => ({ file, html: finishPage(await readFile(file, 'utf8'), loose) })),
  )
  for (const code of loose.scripts) await write(folder, scriptName(code), code)

  const css = [...loose.styles].map(([style, number]) => `[data-style="${number}"]{${style}}`).join('\n')
  const sheet = `${ASSETS}/styles.${digestOf(css)}.css`
  await write(folder, sheet, css)
  const link = `<link rel="stylesheet" href="${BASE}/${sheet}">`
  await Promise.all(pages.map(({ file, html }) => writeFile(file, html.replace('</head>', `${link}</head>`))))
  await followStyles(folder)
}

/** The colours of code are given to spans that have a style; ours have its number. */
async function followStyles(folder: string): Promise<void> {
  for (const file of (await listFiles(join(folder, ASSETS))).filter((name) => name.endsWith('.css'))) {
    const css = await readFile(file, 'utf8')
    await writeFile(file, css.replaceAll("span[style^='--']", 'span[data-style]'))
  }
}

function scriptName(code: string): string {
  return `${ASSETS}/script.${digestOf(code)}.js`
}

function digestOf(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 12)
}

async function write(folder: string, name: string, content: string): Promise<void> {
  await mkdir(dirname(join(folder, name)), { recursive: true })
  await writeFile(join(folder, name), content)
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

async function compress(file: string): Promise<void> {
  const content = await readFile(file)
  await writeFile(`${file}.gz`, await promisify(gzip)(content))
  await writeFile(`${file}.br`, await promisify(brotliCompress)(content))
}
