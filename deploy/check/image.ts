import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readComposeFile } from './compose-file.ts'
import { ROOT, readCommands } from './page.ts'
import { prepareDownloads, prepareRoot } from './prepare.ts'
import { read, run, tell } from './run.ts'

const SUITE = 'trixie'

/**
 * Builds the images of deploy/Dockerfile with Podman and runs them as deploy/compose.yaml says, in a separate network.
 * Their base images would need a registry: a Debian created by debootstrap replaces Debian's image, and the same with
 * Node replaces Node's.
 */
export async function runImage(cache: string): Promise<object> {
  const began = performance.now()
  const { folders } = makeBases(cache)
  for (const [name, { image, build }] of Object.entries(readComposeFile().services)) {
    if (build && ['api', 'resolver'].includes(name)) buildImage(tagOf(image), build.target, folders)
  }
  const buildSeconds = Math.round((performance.now() - began) / 1_000)
  tell('runs what was built')
  // A separate network: the ports of compose.yaml are free there, and no outside host can be reached.
  const inside = join(import.meta.dirname, 'image-run.ts')
  const lines = read('unshare', ['--net', process.execPath, inside]).split('\n')
  const figures = JSON.parse(lines.at(-1) ?? '{}') as object
  const size = Number(read('podman', ['image', 'inspect', '--format', '{{.Size}}', 'probity:local']))
  return { build_seconds: buildSeconds, image_mb: Math.round(size / 1e6), ...figures }
}

/** The values that Compose uses for unset variables. */
export function tagOf(image: string): string {
  return image.replaceAll(/\$\{[A-Z_]+:-([^}]*)\}/g, '$1')
}

export function makeBases(cache: string) {
  const dockerfile = readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8')
  const bases = new Set([...dockerfile.matchAll(/^ARG \w+_IMAGE=(\S+)/gm)].map(([, base = '']) => base))
  const downloads = prepareDownloads(cache, readCommands('bare-root-download').join('\n'))
  for (const base of bases) {
    const name = `docker.io/library/${base}`
    if (isThere(name)) continue
    tell(`puts something in the place of ${base}`)
    const root = prepareRoot(cache, SUITE)
    const node = base.startsWith('node:')
      ? [
          '--transform=s,^node,usr/local,',
          '--directory',
          downloads.tools,
          ...listBelow(downloads.tools, 'node/bin', 'node/lib'),
        ]
      : []
    const pack = ['--create', '--directory', root, '--exclude=./var/cache/apt/archives/*', '.', ...node]
    const quoted = pack.map((part) => `'${part}'`).join(' ')
    run('sh', ['-euc', `tar ${quoted} | podman import - "$1"`, 'sh', name])
  }
  return downloads
}

/** One by one, since Podman mounts no folder twice, and Debian has these already. */
function listBelow(root: string, ...folders: string[]): string[] {
  return folders.flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
}

function isThere(image: string): boolean {
  try {
    read('podman', ['image', 'exists', image])
    return true
  } catch {
    return false // Podman has no other option for this
  }
}

export function buildImage(tag: string, target: string, folders: string[]): void {
  tell(`builds ${tag}`)
  // The downloads of npm and pnpm are in their caches; only apt uses the network.
  const [npmCache = '', ...others] = folders
  const volumes = [`${npmCache}:/root/.npm`, ...others.map((folder) => `${folder}:${folder}`)]
  const kept = volumes.flatMap((volume) => ['--volume', `${volume}:O`])
  const how = ['--isolation', 'chroot', '--pull=never', '--format', 'docker', '--network', 'host', ...LIMITS]
  run(
    'podman',
    [
      'build',
      ...how,
      ...kept,
      '--env',
      'npm_config_offline=true',
      '--file',
      'deploy/Dockerfile',
      '--target',
      target,
      '--tag',
      tag,
      '.',
    ],
    {
      cwd: ROOT,
    },
  )
}

/** Below the limits of an ordinary machine, so that no higher ones are needed. */
const LIMITS = ['--ulimit', 'nofile=8192:8192']
