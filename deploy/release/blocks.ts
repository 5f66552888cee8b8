import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../check/page.ts'

/**
 * The blocks of the README and the docs below a comment like `<!-- release: docker -->`, in order. They need a program that the development
 * environment does not have, so the release workflow runs them: `pnpm -s release blocks docker | bash -euo pipefail`.
 */
export function readReleaseBlocks(name: string): string {
  const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  const paths = [
    'README.md',
    ...pages
      .filter((path) => path.endsWith('.md'))
      .toSorted()
      .map((path) => `docs/${path}`),
  ]
  const blocks = paths.flatMap((path) => {
    const marked = readFileSync(join(ROOT, path), 'utf8').matchAll(/^<!-- release: ([a-z-]+) -->\n```sh\n(.*?)^```$/gms)
    return [...marked].filter(([, marker]) => marker === name).map(([, , text = '']) => text)
  })
  if (blocks.length === 0) throw new Error(`no block is marked with "release: ${name}"`)
  return blocks.join('')
}
