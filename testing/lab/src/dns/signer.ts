import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type Signer = {
  /** The file with the key digest: the trust anchor of a resolver. */
  anchor: string
  /** Writes the signed zone next to the zone file, with the suffix `.signed`. */
  sign(zoneFile: string): Promise<void>
}

/** Signs the root zone with its own key, using Debian's ldnsutils. */
export async function openSigner(folder: string): Promise<Signer> {
  const { stdout } = await run('ldns-keygen', ['-a', 'ECDSAP256SHA256', '-k', '.'], { cwd: folder })
  const key = join(folder, stdout.trim())
  return {
    anchor: `${key}.ds`,
    sign: async (zoneFile) => void (await run('ldns-signzone', ['-n', zoneFile, key], { cwd: folder })),
  }
}
