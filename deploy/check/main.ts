import { homedir } from 'node:os'
import { join } from 'node:path'
import { keepFigures } from '@probity/benchmarks/report/table'
import { followPage } from './bare-root.ts'
import { runImage } from './image.ts'
import { runSolo } from './solo.ts'

/**
 * `pnpm deployment bare-root`: from a bare Debian to a first verdict, by the commands of docs/debian.md. `pnpm deployment image` builds the
 * product and the resolver and runs them as compose.yaml says; `pnpm deployment solo` builds and runs the image with all in one container.
 * All need root on Linux. Progress is written to standard error; the last line of standard output is JSON. Downloads are kept in the
 * folder CACHE.
 */
const CACHE = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
const CHECKS: Record<string, (folder: string) => Promise<object>> = {
  'bare-root': followPage,
  image: runImage,
  solo: runSolo,
}

const [name = '', ...rest] = process.argv.slice(2)
const check = CHECKS[name]
if (check) {
  const figures = await check(join(CACHE, 'probity-deployment'))
  if (rest.includes('--keep')) keepFigures(name, [], figures)
  process.stdout.write(`${JSON.stringify(figures)}\n`)
} else {
  process.stderr.write(
    `Usage: pnpm deployment NAME [--keep], where NAME is one of: ${Object.keys(CHECKS).join(', ')}\n--keep writes the figures to docs/benchmarks.md.\n`,
  )
  process.exitCode = 1
}
