import { hash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { AstroIntegration } from 'astro'
import { markLayout } from './page-layout.ts'
import { addressOf, BASE, copyAddressOf, readTexts, type Text } from './texts.ts'

/** File names here contain a hash of the content, so the API lets browsers cache them permanently. */
const ASSETS = '_astro'
/** Other user interfaces of the search, which Starlight does not use. */
const UNUSED = /pagefind-(ui|modular-ui|component-ui|highlight)\.(js|css)$/
const COMPRESSED = /\.(html|js|css|json|svg|txt|md)$/

/** After the build: moves code out of the pages, adds Markdown copies, and compresses every file once. */
export function finishFiles(): AstroIntegration {
  return {
    name: 'finish-files',
    hooks: {
      'astro:build:done': async ({ dir }) => {
        const folder = fileURLToPath(dir)
        await finishPages(folder)
        await writeReferenceStyles(folder)
        for (const [name, content] of describeForPrograms(readTexts())) await write(folder, name, content)
        for (const file of (await listFiles(folder)).filter((name) => UNUSED.test(name))) await rm(file)
        const files = await listFiles(folder)
        await Promise.all(files.filter((file) => COMPRESSED.test(file)).map(compress))
      },
    },
  }
}

/** The content security policy allows scripts and styles in files only, so the inline ones of Starlight become files. */
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

/** Styles of highlighted code select spans with a style attribute; after finishPage these have its number instead. */
async function followStyles(folder: string): Promise<void> {
  for (const file of (await listFiles(join(folder, ASSETS))).filter((name) => name.endsWith('.css'))) {
    const css = await readFile(file, 'utf8')
    await writeFile(file, css.replaceAll("span[style^='--']", 'span[data-style]'))
  }
}

/** The stylesheet of the API reference, which is a page of the API, with the fonts and colors of the docs. */
async function writeReferenceStyles(folder: string): Promise<void> {
  const sheets = (await listFiles(join(folder, ASSETS))).filter((name) => name.endsWith('.css'))
  const css = (await Promise.all(sheets.map((file) => readFile(file, 'utf8')))).join('\n')
  const fonts = new Set(css.match(/@font-face\s*\{[^}]*\}/g))
  const colors = (await readSource('styles.css')).match(/^ {2}--color-[a-z-]+: .+;$/gm) ?? []
  const rules = [...fonts, `:root {\n${colors.join('\n')}\n}`, await readSource('reference.css')]
  await write(folder, 'reference.css', rules.join('\n'))
}

function readSource(name: string): Promise<string> {
  return readFile(fileURLToPath(new URL(name, import.meta.url)), 'utf8')
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

/** Inline code of all pages: each style with its number, and each script. */
export type Loose = { styles: Map<string, number>; scripts: Set<string>; scriptAddress(code: string): string }

const ATTRIBUTES = '(?:\\s+[^\\s"=>/]+(?:="[^"]*")?)*'

/** A script with its code, or one tag. Whole tags are matched, so that tags within an attribute are not. */
const PIECES = new RegExp(
  `<script(?<how>${ATTRIBUTES})\\s*>(?<code>[\\s\\S]*?)</script>|<(?<tag>[a-z][\\w-]*)(?<attributes>${ATTRIBUTES})(?<end>\\s*/?>)|</table>`,
  'g',
)

/** A text block with lines, arrows or boxes, which are drawn without gaps. */
const DIAGRAM = /<pre data-language="text"(?=(?:(?!<\/pre>)[\s\S])*[─-╿▲▶▼◀])/g

/** Removes inline scripts and styles from a page, marks its layout, and adds a scrollable frame to tables, which can be wider than the page. */
export function finishPage(html: string, loose: Loose): string {
  return markLayout(html.replace(DIAGRAM, '$& class="diagram"')).replace(PIECES, (piece, ...rest) => {
    const { how, code, tag, attributes = '', end } = rest.at(-1) as Record<string, string | undefined>
    if (code !== undefined) return code === '' ? piece : withFile(how ?? '', code, loose)
    if (piece === '</table>') return '</table></div>'
    if (tag === 'table') return `<div class="wide"><table${attributes}${end}`
    return `<${tag}${withNumber(attributes, loose)}${end}`
  })
}

function withFile(how: string, code: string, { scripts, scriptAddress }: Loose): string {
  scripts.add(code)
  return `<script${how} src="${scriptAddress(code)}"></script>`
}

function withNumber(attributes: string, { styles }: Loose): string {
  return attributes.replace(/ style="([^"]*)"/, (_, style: string) => {
    // A script of Starlight shows elements by removing this style; as a number it could not.
    if (/^display:\s*none;?$/.test(style)) return ''
    const number = styles.get(style) ?? styles.size + 1
    styles.set(style, number)
    return ` data-style="${number}"`
  })
}

/** The site as Markdown: a copy of every page, a list of all pages (llms.txt), and all pages in one file. */
function describeForPrograms(texts: Text[]): [name: string, content: string][] {
  const copies = texts.map(({ id, title, copy }): [string, string] => [`${id}.md`, `# ${title}\n\n${copy}\n`])
  return [...copies, ['llms.txt', listOf(texts)], ['llms-full.txt', allOf(texts)]]
}

function listOf([first, ...texts]: Text[]): string {
  const lines = texts.map(({ id, title, description }) => `- [${title}](${copyAddressOf(id)}): ${description}`)
  return `# Probity\n\n> ${first?.description ?? ''}\n\n${ADVICE}\n\n## Pages\n\n${lines.join('\n')}\n`
}

const ADVICE = `Every page below is Markdown; the URL without \`.md\` is the HTML page.
The OpenAPI document of the API is at \`/api/v1/openapi.json\`, and all pages in one file are at \`/llms-full.txt\`.`

function allOf(texts: Text[]): string {
  return texts.map(({ id, title, copy }) => `# ${title}\n\nAddress: ${addressOf(id)}\n\n${copy}\n`).join('\n---\n\n')
}
