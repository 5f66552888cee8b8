import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { freePort } from '../services/daemon.ts'
import { libraryPath } from './packages.ts'
import { type Place, startProcess } from './process.ts'

/** Short, so that a test can wait for it; the default is five minutes. */
export const GREYLISTED_FOR_S = 2

/**
 * Debian's Postgrey, the policy server of Postfix for each recipient. Unlike a real one it never allowlists a client
 * permanently.
 */
export async function startPostgrey(folder: string, unpacked: string, cleanUp: AsyncDisposableStack): Promise<Place> {
  const place = { host: '127.0.0.1', port: await freePort() }
  const options = {
    inet: `${place.host}:${place.port}`,
    dbdir: folder,
    delay: GREYLISTED_FOR_S,
    // It loads modules at run time, and other users cannot read our cache.
    user: 'root',
    group: 'root',
    'auto-whitelist-clients': 0,
    'whitelist-clients': '/dev/null',
    'whitelist-recipients': '/dev/null',
  }
  await startProcess(
    [
      '/usr/bin/perl',
      '-T',
      ...moduleFolders(unpacked).map((path) => `-I${path}`),
      join(unpacked, 'usr/sbin/postgrey'),
      ...Object.entries(options).map(([name, value]) => `--${name}=${value}`),
    ],
    {
      logFile: join(folder, 'postgrey.log'),
      answersAt: [place],
      cleanUp,
      env: { LD_LIBRARY_PATH: libraryPath(unpacked), PATH: '/usr/bin:/bin' },
    },
  )
  return place
}

/** Perl's own module folders inside the unpacked folder. Taint mode (-T) ignores the environment variables for them. */
function moduleFolders(unpacked: string): string[] {
  const own = execFileSync('/usr/bin/perl', ['-e', 'print join "\n", @INC'], { encoding: 'utf8' }).split('\n')
  return own.map((path) => join(unpacked, path))
}
