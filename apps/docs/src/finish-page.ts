/** What was taken out of pages: each style with its number, and each script. */
export type Loose = { styles: Map<string, number>; scripts: Set<string>; scriptAddress(code: string): string }

const ATTRIBUTES = '(?:\\s+[^\\s"=>/]+(?:="[^"]*")?)*'

/** A script with its code, or any one tag: whole tags, so that what looks like one within an attribute is left alone. */
const PIECES = new RegExp(
  `<script(?<how>${ATTRIBUTES})\\s*>(?<code>[\\s\\S]*?)</script>|<(?<tag>[a-z][\\w-]*)(?<attributes>${ATTRIBUTES})(?<end>\\s*/?>)|</table>`,
  'g',
)

/** Takes scripts and styles out of a page, and puts a frame around tables that may be wider than it. */
export function finishPage(html: string, loose: Loose): string {
  return html.replace(PIECES, (piece, ...rest) => {
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
    // What a script of Starlight's shows by taking this away would stay hidden under a number.
    if (/^display:\s*none;?$/.test(style)) return ''
    const number = styles.get(style) ?? styles.size + 1
    styles.set(style, number)
    return ` data-style="${number}"`
  })
}
