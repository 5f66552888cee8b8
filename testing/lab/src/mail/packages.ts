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
/** `dpkg`'s list of what is installed here. */
const STATUS_FILE = '/var/lib/dpkg/status'

/**
 * Brings Debian packages without installing them: they and whatever they need that this system lacks are unpacked into one
 * folder, which is kept for the next time. Packages of one group are looked up together, those of different groups may be
 * such as Debian would not install side by side.
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
    // Nothing here may give a user of this machine another's rights.
    await run('chmod', ['-R', 'a-s', draft])
    settle(draft, folder)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  return folder
}

/** Where the unpacked programs find the libraries that came with them. */
export function libraryPath(unpacked: string): string {
  return [...globSync(join(unpacked, 'usr/lib/*-linux-gnu*')), ...globSync(join(unpacked, 'usr/lib/postfix'))].join(':')
}

/** What is missing depends on what is installed, so another state of the system gets another folder. */
function cacheKey(groups: string[][]): string {
  const release = readFileSync('/etc/os-release', 'utf8')
  const named = (field: string) => new RegExp(`^${field}="?([\\w.]+)`, 'm').exec(release)?.[1] ?? 'unknown'
  const state = createHash('sha256').update(JSON.stringify(groups)).update(readFileSync(STATUS_FILE)).digest('hex')
  return `${named('ID')}-${named('VERSION_ID')}-${state.slice(0, 16)}`
}

/** A machine that never fetched the lists of packages does not find them, one with old lists fetches what is gone. */
async function download(groups: string[][], folder: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      const wanted = (await Promise.all(groups.map(listMissing))).flat()
      await run('apt-get', ['download', '-qq', ...new Set(wanted)], { cwd: folder })
      return
    } catch (error) {
      if (tries === TRIES) throw new Error(`apt-get cannot bring ${groups.flat().join(', ')}`, { cause: error })
      // May fail while another process does the same, and then the next try finds what that one fetched.
      await run('apt-get', ['update', '-qq']).catch(() => sleep(5_000))
    }
  }
}

/** `name=version` of each package that would be installed; `--reinstall` for the case that one of the group already is. */
async function listMissing(group: string[]): Promise<string[]> {
  const options = ['--simulate', '--no-install-recommends', '--reinstall', '-qq']
  const { stdout } = await run('apt-get', ['install', ...options, ...group], { maxBuffer: OUTPUT_BYTES_MAX })
  const found = stdout.matchAll(/^Inst (\S+) (?:\[\S+\] )?\((\S+)/gm)
  return Array.from(found, ([, name, version]) => `${name}=${version}`)
}

/** Two processes may unpack at once. The first to rename its folder wins, the other uses the winner's. */
function settle(draft: string, folder: string): void {
  try {
    renameSync(draft, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  }
}
