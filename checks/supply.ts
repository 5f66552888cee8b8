import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { listForeign, makeBill } from './src/bill-of-materials.ts'
import { INSTALLED } from './src/data/runtime-programs.ts'
import { listPublishAges } from './src/publish-ages.ts'
import { listBrought } from './src/runtime-packages.ts'

/**
 * `pnpm -s supply count | sbom [part…] | ages [part…]`: the external packages of the programs. See
 * docs/supply-chain.md.
 */
const ROOT = join(import.meta.dirname, '..')
const [command = '', ...named] = process.argv.slice(2)
const parts = named.length > 0 ? named : INSTALLED

const COMMANDS: Record<string, () => void | Promise<void>> = {
  count() {
    for (const { as, packages, packagesMax } of listBrought(ROOT)) {
      console.log(`${as} brings ${packages.length} packages of others, at most ${packagesMax}`)
    }
  },
  sbom() {
    console.log(JSON.stringify(makeBill(ROOT, parts), null, 2))
  },
  async ages() {
    const registry = execFileSync('pnpm', ['config', 'get', 'registry'], { cwd: ROOT, encoding: 'utf8' }).trim()
    const { ages, unanswered } = await listPublishAges(registry, listForeign(makeBill(ROOT, parts)), Date.now())
    for (const one of ages) console.log(JSON.stringify(one))
    for (const one of unanswered) console.error(JSON.stringify(one))
    if (unanswered.length > 0) process.exitCode = 1
  },
}

const run = COMMANDS[command]
if (run) await run()
else {
  console.error('Say one of: count, sbom, ages. The last two may be followed by parts: api, worker, admin, web, cli.')
  process.exitCode = 1
}
