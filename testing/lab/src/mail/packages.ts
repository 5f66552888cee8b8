import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

const TRIES = 3
const OUTPUT_BYTES_MAX = 10_000_000
/** The packages that `dpkg` lists as installed. */
const STATUS_FILE = '/var/lib/dpkg/status'

/**
 * Downloads Debian packages without installing them: the packages and their missing dependencies are unpacked into one
 * folder, which later runs reuse. Packages of one group are resolved together; packages of different groups may
 * conflict with each other in Debian.
 */
export async function unpackPackages(groups: string[][]): Promise<string> {
  if (!existsSync(STATUS_FILE)) throw new Error('Packages can only be unpacked on Debian or a relative of it.')
  const cache = join(homedir(), '.cache', 'probity-lab')
  const folder = join(cache, cacheKey(groups))
  if (existsSync(folder)) return folder

  mkdirSync(cache, { recursive: true })
  const draft = mkdtempSync(join(cache, 'draft-'))
  try {
    await download(groups, draft)
    for (const file of globSync(join(draft, '*.deb'))) {
      await run('dpkg', ['-x', file, draft])
      rmSync(file)
    }
    // No unpacked file may give a user of this machine the rights of another user.
    await run('chmod', ['-R', 'a-s', draft])
    settle(draft, folder)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  return folder
}

/** The library path for the unpacked programs. */
export function libraryPath(unpacked: string): string {
  return [...globSync(join(unpacked, 'usr/lib/*-linux-gnu*')), ...globSync(join(unpacked, 'usr/lib/postfix'))].join(':')
}

/** The missing packages depend on the installed packages, so each system state has its own folder. */
function cacheKey(groups: string[][]): string {
  const release = readFileSync('/etc/os-release', 'utf8')
  const named = (field: string) => new RegExp(`^${field}="?([\\w.]+)`, 'm').exec(release)?.[1] ?? 'unknown'
  const state = createHash('sha256').update(JSON.stringify(groups)).update(readFileSync(STATUS_FILE)).digest('hex')
  return `${named('ID')}-${named('VERSION_ID')}-${state.slice(0, 16)}`
}

/** Without downloaded package lists apt finds no package, and with outdated lists it requests removed versions. */
async function download(groups: string[][], folder: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      const wanted = (await Promise.all(groups.map(listMissing))).flat()
      await run('apt-get', ['download', '-qq', ...new Set(wanted)], { cwd: folder })
      return
    } catch (error) {
      if (tries === TRIES) throw new Error(`apt-get cannot bring ${groups.flat().join(', ')}`, { cause: error })
      // fails while another process updates the lists; the next attempt then finds them
      await run('apt-get', ['update', '-qq']).catch(() => sleep(5_000))
    }
  }
}

/** `name=version` of each package to install; `--reinstall` covers a package of the group that is already installed. */
async function listMissing(group: string[]): Promise<string[]> {
  const options = ['--simulate', '--no-install-recommends', '--reinstall', '-qq']
  const { stdout } = await run('apt-get', ['install', ...options, ...group], { maxBuffer: OUTPUT_BYTES_MAX })
  const found = stdout.matchAll(/^Inst (\S+) (?:\[\S+\] )?\((\S+)/gm)
  return Array.from(found, ([, name, version]) => `${name}=${version}`)
}

/** Two processes may unpack at once. The first to rename its folder wins; the other uses that folder. */
function settle(draft: string, folder: string): void {
  try {
    renameSync(draft, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  }
}
