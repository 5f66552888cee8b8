import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { ROOT } from '../check/page.ts'
import { readReleaseBlocks } from './blocks.ts'
import { packManifests } from './manifests.ts'
import { EmptyNames, getReleaseNames, readReleaseNames } from './names.ts'
import { packPackages } from './packages.ts'
import { prepareRelease } from './prepare.ts'
import { makeRelease, readNotes, readVersion } from './release.ts'

/** `pnpm -s release COMMAND`: steps of the release workflow that also run on a development machine. Except for `blocks`, the last line of output is JSON. */
const COMMANDS: Record<string, (argument: string) => unknown> = {
  prepare: (version) => prepareRelease(version, { root: ROOT, day: new Date().toISOString().slice(0, 10) }),
  names: () => getReleaseNames(),
  notes: () => ({ version: readVersion(), notes: readNotes() }),
  packages: (folder) => packPackages(resolve(folder), readReleaseNames().repository ?? ''),
  manifests: (folder) => packManifests(resolve(folder), readVersion()),
  '--dry-run': (out) => {
    const release = makeRelease({ out: resolve(out), cache: join(CACHE, 'probity-deployment') })
    if (!release.reproducible) process.exitCode = 1
    return release
  },
}
const CACHE = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')

const USAGE = `Usage: pnpm -s release COMMAND

prepare VERSION     set the version, and give it the unreleased changes of CHANGELOG.md and the new migrations
names               print deploy/release/names.json; fail if a name is empty
notes               print the version and its section of CHANGELOG.md
packages FOLDER     pack @probity/sdk and @probity/cli into FOLDER, with SHA256SUMS
manifests FOLDER    pack compose.yaml, install.sh and the Kubernetes manifests into FOLDER
blocks NAME         print the blocks of the README and the docs that are marked with "release: NAME", for a shell
--dry-run [FOLDER]  build all files of a release in FOLDER (default: .local/release), and run the image solo;
                    needs root on Linux, podman, runc and debootstrap
`

const [command = '', argument = command === '--dry-run' ? '.local/release' : ''] = process.argv.slice(2)
const run = COMMANDS[command]
if (command === 'blocks' && argument !== '') {
  process.stdout.write(readReleaseBlocks(argument))
} else if (run === undefined || (['prepare', 'packages', 'manifests'].includes(command) && argument === '')) {
  process.stderr.write(USAGE)
  process.exitCode = 2
} else {
  try {
    process.stdout.write(`${JSON.stringify(await run(argument))}\n`)
  } catch (error) {
    if (!(error instanceof EmptyNames)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}
