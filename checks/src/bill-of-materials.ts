import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

type Licence = { license?: { id?: string; name?: string }; expression?: string }

/** The CycloneDX fields of a package that are read here. */
export type Component = { group?: string; name: string; version: string; purl: string; licenses?: Licence[] }

export type BillOfMaterials = {
  serialNumber: string
  metadata: { timestamp?: string; component: Component }
  components: Component[]
  dependencies: { ref: string; dependsOn?: string[] }[]
}

const SPEC = ['--sbom-format', 'cyclonedx', '--sbom-spec-version', '1.6', '--sbom-type', 'application']
const LONG_MS = 60_000
const BYTES_MAX = 64 * 1024 * 1024

/** The runtime dependencies of these parts, one bill each, as pnpm reads them from the lockfile and the packages. */
export function listBills(root: string, parts: string[]): BillOfMaterials[] {
  return askPnpm(root, parts, '--split')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as BillOfMaterials)
}

/**
 * One bill for all these parts. pnpm writes the time and a random serial number; the time is removed and the serial
 * number is derived from the contents, so that a repeated run on the same commit creates the same bytes.
 */
export function makeBill(root: string, parts: string[]): BillOfMaterials {
  const bill = JSON.parse(askPnpm(root, parts)) as BillOfMaterials
  const { timestamp: _, ...metadata } = bill.metadata
  const byPurl = (a: { purl: string }, b: { purl: string }) => (a.purl < b.purl ? -1 : 1)
  const byRef = (a: { ref: string }, b: { ref: string }) => (a.ref < b.ref ? -1 : 1)
  const stable = {
    ...bill,
    metadata,
    components: bill.components.toSorted(byPurl),
    dependencies: bill.dependencies
      .map((one) => (one.dependsOn ? { ...one, dependsOn: one.dependsOn.toSorted() } : one))
      .toSorted(byRef),
  }
  return { ...stable, serialNumber: numberOf(root, JSON.stringify({ ...stable, serialNumber: '' })) }
}

/** The external packages of a bill, without duplicates. */
export function listForeign({ components }: BillOfMaterials): Component[] {
  return components.filter(({ group }) => group !== '@probity')
}

export function nameOf({ group, name }: Component): string {
  return group === undefined ? name : `${group}/${name}`
}

function askPnpm(root: string, parts: string[], ...more: string[]): string {
  const filters = parts.flatMap((part) => ['--filter', `@probity/${part}`])
  return execFileSync('pnpm', ['--silent', 'sbom', ...SPEC, '--prod', ...filters, ...more], {
    cwd: root,
    encoding: 'utf8',
    timeout: LONG_MS,
    maxBuffer: BYTES_MAX,
  })
}

/** A UUID of version 8 (RFC 9562 §5.8), whose bits the application defines. */
function numberOf(root: string, text: string): string {
  const lockfile = readFileSync(join(root, 'pnpm-lock.yaml'))
  const hash = createHash('sha256').update(lockfile).update(text).digest('hex')
  const variant = ((Number.parseInt(hash.slice(16, 17), 16) & 0x3) | 0x8).toString(16)
  return `urn:uuid:${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-${variant}${hash.slice(17, 20)}-${hash.slice(20, 32)}`
}
