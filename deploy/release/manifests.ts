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
  'redis-users.conf',
]

/** Packs the manifests, with the images of the release. The same files give the same bytes. */
export function packManifests(folder: string, version: string): string {
  const staging = mkdtempSync(join(tmpdir(), 'probity-manifests-'))
  const root = `probity-${version}`
  try {
    for (const name of FILES) cpSync(join(ROOT, 'deploy', name), join(staging, root, name), { recursive: true })
    const image = imageName()
    const edit = (name: string, change: (text: string) => string) => {
      const file = join(staging, root, name)
      writeFileSync(file, change(readFileSync(file, 'utf8')))
    }
    edit('install.sh', (text) => releasedInstaller(text, { image, version }))
    edit('kubernetes/base/kustomization.yaml', (text) => releasedKustomization(text, image))
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

/** Empty as long as the names are: the manifests then are those of a clone. */
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

/** The base names the images of the release. A clone names none, because they are built and named by the operator. */
export function releasedKustomization(base: string, image: string): string {
  if (image === '') return base
  const released = base
    .replace('  - name: probity\n', `  - name: probity\n    newName: ${image}\n`)
    .replace('  - name: probity-resolver\n', `  - name: probity-resolver\n    newName: ${image}-resolver\n`)
  if (released.match(/^ +newName: /gm)?.length !== 2) throw new Error('kustomization.yaml does not have both images')
  return released
}
