import { join } from 'node:path'
import { readCurrent, updateSnapshot } from './src/openapi/snapshot.ts'

/** `pnpm openapi [--write]`: compares the API with its snapshot, packages/contract/openapi.json. See docs/versioning.md. */
const ROOT = join(import.meta.dirname, '..')
const [flag] = process.argv.slice(2)

if (flag !== undefined && flag !== '--write') {
  console.error('Say nothing or --write.')
  process.exitCode = 1
} else {
  const outcome = updateSnapshot(ROOT, readCurrent(ROOT), flag === '--write')
  console.log(JSON.stringify(outcome, null, 2))
  if (outcome.kind === 'stale') console.error('The snapshot differs from the API. Run "pnpm openapi --write".')
  if (outcome.kind === 'refused') console.error('Released operations changed incompatibly. Nothing was written.')
  if (outcome.kind === 'stale' || outcome.kind === 'refused') process.exitCode = 1
}
