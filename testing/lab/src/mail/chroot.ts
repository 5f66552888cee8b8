import { execFile } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { libraryPath } from './packages.ts'

const run = promisify(execFile)

/** Above the ids that Debian assigns; no user has them. */
const FIRST_ID = 64_100

export type SmallRoot = {
  /** The command prefix that runs a program, given by its path inside, in the chroot. */
  enter: string[]
  /** The id of each user; the group has the same id. */
  ids: Record<string, number>
  /** The outside path of a path inside. */
  path(inside: string): string
}

/**
 * A chroot folder with a program, its libraries, and a password file with the users that it was built to run as. Exim
 * and OpenSMTPD look their users up by name, and the path of OpenSMTPD's spool is fixed, so neither has to exist
 * outside.
 */
export async function makeSmallRoot(folder: string, program: string, options: { unpacked: string; users: string[] }) {
  const ids = Object.fromEntries(options.users.map((user, n) => [user, FIRST_ID + n]))
  const root: SmallRoot = {
    enter: ['/usr/sbin/chroot', folder],
    ids,
    path: (inside) => join(folder, inside),
  }
  chmodSync(folder, 0o711) // the users need access too
  for (const name of ['dev', 'etc', 'usr/sbin', 'usr/lib']) mkdirSync(root.path(name), { recursive: true })
  copyProgram(program, root.path(join('usr/sbin', basename(program))))
  for (const [from, to] of await listLibraries(program, options.unpacked)) copyProgram(from, root.path(to))

  const users = Object.entries({ root: 0, ...ids })
  writeFileSync(root.path('etc/passwd'), users.map(([name, id]) => `${name}:x:${id}:${id}::/:/bin/false\n`).join(''))
  writeFileSync(root.path('etc/group'), users.map(([name, id]) => `${name}:x:${id}:\n`).join(''))
  writeFileSync(root.path('dev/null'), '') // a plain file is enough: little is written to it, and it is deleted with the folder
  chmodSync(root.path('dev/null'), 0o666)
  return root
}

/**
 * Pairs of a library and its target: a folder that the loader searches by default or, for the loader itself, its own
 * path.
 */
async function listLibraries(program: string, unpacked: string): Promise<[from: string, to: string][]> {
  const { stdout } = await run('ldd', [program], {
    env: { LD_LIBRARY_PATH: libraryPath(unpacked), PATH: '/usr/bin:/bin' },
  })
  if (stdout.includes('not found')) throw new Error(`${program} lacks libraries:\n${stdout}`)
  const libraries = stdout.matchAll(/^\s*(\S+) => (\/\S+)/gm)
  const loaders = stdout.matchAll(/^\s*(\/\S+) \(/gm)
  return [
    ...Array.from(libraries, ([, name = '', path = '']): [string, string] => [path, `usr/lib/${name}`]),
    ...Array.from(loaders, ([, path = '']): [string, string] => [path, path]),
  ]
}

function copyProgram(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  copyFileSync(from, to)
  chmodSync(to, 0o755)
}
