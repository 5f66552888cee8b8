import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')

/** The blocks of docs/debian.md below a comment like `<!-- test: bare-root -->`, unchanged and in order. */
export function readCommands(marker: string): string[] {
  const page = readFileSync(join(ROOT, 'docs/debian.md'), 'utf8')
  const blocks = [...page.matchAll(/^<!-- test: ([a-z-]+) -->\n```sh\n(.*?)^```$/gms)]
  return blocks.flatMap(([, name, text = '']) => (name === marker ? [text] : []))
}
