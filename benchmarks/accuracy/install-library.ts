import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/**
 * Libraries that probe mail servers. They are never dependencies of Probity: each is installed for the runs that use
 * it.
 */
export const PEERS = [
  { name: 'deep-email-validator', version: '0.1.27', script: 'accuracy/libraries/deep-email-validator.ts' },
  { name: 'email-deep-validator', version: '3.3.0', script: 'accuracy/libraries/email-deep-validator.ts' },
  { name: 'server-accepts-email', version: '1.11.1', script: 'accuracy/libraries/server-accepts-email.ts' },
  { name: '@emailcheck/email-validator-js', version: '3.4.4', script: 'accuracy/libraries/email-validator-js.ts' },
]

type Peer = (typeof PEERS)[number]

const CACHE = join(homedir(), '.cache', 'probity-bench', 'peers')
const INSTALL_WITHIN_MS = 120_000

/** The folder with the installed library; installation runs none of its code. */
export async function installPeer({ name, version }: Peer, signal: AbortSignal): Promise<string> {
  const folder = join(CACHE, `${name.replaceAll(/[^a-z-]/g, '-')}-${version}`)
  if (findVersion(folder, name) === version) return folder
  mkdirSync(folder, { recursive: true })
  const flags = ['--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact']
  await promisify(execFile)('npm', ['install', ...flags, `${name}@${version}`], { timeout: INSTALL_WITHIN_MS, signal })
  return folder
}

function findVersion(folder: string, name: string): string | undefined {
  try {
    const { version } = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'))
    return version
  } catch {
    return undefined // not installed yet
  }
}
