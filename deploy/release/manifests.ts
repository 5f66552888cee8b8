import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../check/page.ts'
import { run } from '../check/run.ts'
import { readReleaseNames } from './names.ts'

/** Everything of `deploy` that an installation without a clone needs. */
const FILES = [
  'Caddyfile',
  'compose.yaml',
  'install-common.sh',
  'install.sh',
  'kubernetes',
  'monitoring',
  'postgres',
  'probity.env.example',
]

/** Packs the manifests, with the image of the release in install.sh. The same files give the same bytes. */
export function packManifests(folder: string, version: string): string {
  const staging = mkdtempSync(join(tmpdir(), 'probity-manifests-'))
  const root = `probity-${version}`
  try {
    for (const name of FILES) cpSync(join(ROOT, 'deploy', name), join(staging, root, name), { recursive: true })
    const installer = join(staging, root, 'install.sh')
    writeFileSync(installer, releasedInstaller(readFileSync(installer, 'utf8'), { image: imageName(), version }))
    const same = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=u+rw,go+r,go-w']
    const pack = `tar --create ${same.join(' ')} --directory "$1" "$2" | gzip --no-name > "$3"`
    const name = `${root}-manifests.tar.gz`
    mkdirSync(folder, { recursive: true })
    run('sh', ['-euc', pack, 'sh', staging, root, join(folder, name)])
    return name
  } finally {
    rmSync(staging, { recursive: true })
  }
}

/** Empty as long as the names are: install.sh then builds the images. */
function imageName(): string {
  const { registry, image } = readReleaseNames()
  return registry && image ? `${registry}/${image}` : ''
}

export function releasedInstaller(installer: string, { image, version }: { image: string; version: string }): string {
  const released = installer.replace(/^IMAGE=$/m, `IMAGE=${image}`).replace(/^VERSION=$/m, `VERSION=${version}`)
  if (!released.includes(`\nIMAGE=${image}\nVERSION=${version}\n`))
    throw new Error('install.sh has no lines IMAGE= and VERSION=')
  return released
}
