import { createHash } from 'node:crypto'
import { ROOT } from '../check/page.ts'
import { read } from '../check/run.ts'

/** Debian's list of installed packages. */
export const STATUS = 'var/lib/dpkg/status'

type Component = { type: string; name: string; version: string; purl: string }
type Bill = { metadata: { component: object }; components: Component[] } & Record<string, unknown>

/** The npm packages of our programs, in CycloneDX. */
export function describePrograms(): Bill {
  return JSON.parse(read('pnpm', ['-s', 'supply', 'sbom'], ROOT)) as Bill
}

type Image = {
  target: 'product' | 'resolver' | 'solo'
  version: string
  /** The content of the file STATUS. */
  status: string
}

/** The Debian packages of an image and, unless it is the resolver, the npm packages of our programs. */
export function describeImage({ target, version, status }: Image): Bill {
  const debian = readDebianPackages(status)
  const npm = target === 'resolver' ? [] : describePrograms().components
  const components = [...debian, ...npm].toSorted((a, b) => (a.purl < b.purl ? -1 : 1))
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([target, version, components]))}`,
    version: 1,
    metadata: { component: { type: 'container', name: `probity-${target}`, version } },
    components,
  }
}

export function readDebianPackages(status: string): Component[] {
  return status.split(/\n\n+/).flatMap((entry) => {
    const field = (name: string) => new RegExp(`^${name}: (.+)$`, 'm').exec(entry)?.[1]
    const [name, version, arch] = [field('Package'), field('Version'), field('Architecture')]
    if (!name || !version || field('Status') !== 'install ok installed') return []
    const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${arch}`
    return [{ type: 'library', name, version, purl }]
  })
}

/** A UUID that follows from the content, so that the same image gets the same bill. */
function uuidOf(content: string): string {
  const hex = createHash('sha256').update(content).digest('hex')
  const variant = ((Number.parseInt(hex[16] ?? '0', 16) & 3) | 8).toString(16)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `5${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}
