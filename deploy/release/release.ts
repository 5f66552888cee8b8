import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildImage, makeBases } from '../check/image.ts'
import { ROOT } from '../check/page.ts'
import { PODMAN } from '../check/podman.ts'
import { read, run, tell } from '../check/run.ts'
import { runBuiltSolo, SOLO_IMAGE } from '../check/solo.ts'
import { assembleArm64 } from './arm64.ts'
import { packManifests } from './manifests.ts'
import { readReleaseNames } from './names.ts'
import { notesOf } from './notes.ts'
import { packPackages } from './packages.ts'
import { describeImage, describePrograms, STATUS } from './sbom.ts'

const IMAGES = [
  { target: 'product', tag: 'probity:release', arch: 'amd64' },
  { target: 'resolver', tag: 'probity-resolver:release', arch: 'amd64' },
  { target: 'solo', tag: SOLO_IMAGE, arch: 'amd64' },
] as const
const ARM64 = { target: 'product', tag: 'probity:release-arm64', arch: 'arm64' } as const

export type Release = {
  version: string
  out: string
  images: string[]
  npm_tarballs: string[]
  sboms: string[]
  reproducible: boolean
  arm64_binaries: number
  solo_first_verdict_s: number
  solo_pss_mb: number
  seconds: number
}

/** Builds all files of a release. The folder `out` is replaced. */
export function makeRelease({ out, cache }: { out: string; cache: string }): Release {
  const began = performance.now()
  const version = readVersion()
  const repository = readReleaseNames().repository ?? ''
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  const tarballs = makeTwice(out, 'npm packages', (folder) => packPackages(folder, repository))
  const manifests = makeTwice(out, 'manifests', (folder) => packManifests(folder, version))
  writeFileSync(join(out, 'notes.md'), readNotes())
  const { images, binaries, statuses } = makeImages(out, cache, version)
  const sboms = makeSboms(out, { version, statuses })
  const solo = runBuiltSolo()
  writeSums(out)
  return {
    version,
    out,
    images,
    npm_tarballs: tarballs.names.filter((name) => name.endsWith('.tgz')),
    sboms,
    reproducible: tarballs.isSame && manifests.isSame,
    arm64_binaries: binaries,
    solo_first_verdict_s: solo.solo_first_verdict_s,
    solo_pss_mb: solo.solo_pss_mb,
    seconds: Math.round((performance.now() - began) / 1_000),
  }
}

export function readVersion(): string {
  return (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version
}

export function readNotes(): string {
  return notesOf(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), readVersion())
}

/** Makes files twice, in two folders, and compares their bytes. The first ones are kept. */
function makeTwice(out: string, what: string, make: (folder: string) => unknown) {
  tell(`packs the ${what}, twice`)
  const [first, second] = [mkdtempSync(join(out, '.first-')), mkdtempSync(join(out, '.second-'))]
  make(first)
  make(second)
  const names = readdirSync(first).toSorted()
  const isSame =
    names.join() === readdirSync(second).toSorted().join() &&
    names.every((name) => readFileSync(join(first, name)).equals(readFileSync(join(second, name))))
  for (const name of names) renameSync(join(first, name), join(out, name))
  for (const folder of [first, second]) rmSync(folder, { recursive: true })
  return { names, isSame }
}

function makeImages(out: string, cache: string, version: string) {
  const { folders } = makeBases(cache)
  for (const { tag, target } of IMAGES) buildImage(tag, target, folders)
  const arm64 = assembleArm64(cache, { product: IMAGES[0].tag, tag: ARM64.tag })
  const images = [...IMAGES, ARM64].map(({ target, tag, arch }) => {
    const name = `probity-${target}-${version}-${arch}.oci.tar`
    tell(`writes ${name}`)
    run('podman', ['save', '--format', 'oci-archive', '--output', join(out, name), tag])
    return name
  })
  const statuses = [
    ...IMAGES.map((image) => ({ ...image, status: readStatus(image.tag) })),
    { ...ARM64, status: arm64.status },
  ]
  return { images, binaries: arm64.binaries, statuses }
}

function readStatus(tag: string): string {
  const cat = ['--rm', '--network=none', '--entrypoint', 'cat', ...LIMITS, tag, `/${STATUS}`]
  return read('podman', ['run', ...PODMAN, ...cat])
}

type Statuses = ReturnType<typeof makeImages>['statuses']

/** One bill of materials for each image, and one for all of our programs. */
function makeSboms(out: string, { version, statuses }: { version: string; statuses: Statuses }): string[] {
  const ofImages = statuses.map(({ target, arch, status }) => ({
    name: `probity-${target}-${version}-${arch}.cdx.json`,
    bill: describeImage({ target, version, status }),
  }))
  const all = [...ofImages, { name: `probity-${version}-npm.cdx.json`, bill: describePrograms() }]
  for (const { name, bill } of all) writeFileSync(join(out, name), `${JSON.stringify(bill, null, 2)}\n`)
  return all.map(({ name }) => name)
}

const LIMITS = ['--pull=never', '--ulimit', 'nofile=8192:8192', '--ulimit', 'nproc=4096:4096']

/** The format of `sha256sum`, sorted by name. It replaces the file of the npm packages. */
function writeSums(out: string): void {
  const sums = readdirSync(out)
    .filter((name) => name !== 'SHA256SUMS')
    .toSorted()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(out, name)))
          .digest('hex')}  ${name}`,
    )
  writeFileSync(join(out, 'SHA256SUMS'), `${sums.join('\n')}\n`)
}
