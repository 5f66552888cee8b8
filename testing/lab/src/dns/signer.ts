import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type Signer = {
  /** The file with the key's digest, for a resolver to believe in. */
  anchor: string
  /** Writes the signed zone beside the zone, with `.signed` behind its name. */
  sign(zoneFile: string): Promise<void>
}

/** Signs the root zone with a key of its own, by Debian's ldnsutils. */
export async function openSigner(folder: string): Promise<Signer> {
  const { stdout } = await run('ldns-keygen', ['-a', 'ECDSAP256SHA256', '-k', '.'], { cwd: folder })
  const key = join(folder, stdout.trim())
  return {
    anchor: `${key}.ds`,
    sign: async (zoneFile) => void (await run('ldns-signzone', ['-n', zoneFile, key], { cwd: folder })),
  }
}
