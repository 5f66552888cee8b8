import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { readReleaseBlocks } from './blocks.ts'
import { packManifests } from './manifests.ts'
import { EmptyNames, getReleaseNames, readReleaseNames } from './names.ts'
import { packPackages } from './packages.ts'
import { makeRelease, readNotes, readVersion } from './release.ts'

/** `pnpm -s release COMMAND`: steps of the release workflow that also run on a development machine. Except for `blocks`, the last line of output is JSON. */
const COMMANDS: Record<string, (folder: string) => unknown> = {
  names: () => getReleaseNames(),
  notes: () => ({ version: readVersion(), notes: readNotes() }),
  packages: (folder) => packPackages(folder, readReleaseNames().repository ?? ''),
  manifests: (folder) => packManifests(folder, readVersion()),
  '--dry-run': (out) => makeRelease({ out, cache: join(CACHE, 'probity-deployment') }),
}
const CACHE = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')

const USAGE = `Usage: pnpm -s release COMMAND

names               print deploy/release/names.json; fail if a name is empty
notes               print the version and its section of CHANGELOG.md
packages FOLDER     pack @probity/sdk and @probity/cli into FOLDER, with SHA256SUMS
manifests FOLDER    pack compose.yaml, install.sh and the Kubernetes manifests into FOLDER
blocks NAME         print the blocks of the README and the docs that are marked with "release: NAME", for a shell
--dry-run [FOLDER]  build all files of a release in FOLDER (default: .local/release), and run the image solo;
                    needs root on Linux, podman, runc and debootstrap
`

const [command = '', folder = command === '--dry-run' ? '.local/release' : ''] = process.argv.slice(2)
const run = COMMANDS[command]
if (command === 'blocks' && folder !== '') {
  process.stdout.write(readReleaseBlocks(folder))
} else if (run === undefined || (['packages', 'manifests'].includes(command) && folder === '')) {
  process.stderr.write(USAGE)
  process.exitCode = 2
} else {
  try {
    process.stdout.write(`${JSON.stringify(await run(resolve(folder)))}\n`)
  } catch (error) {
    if (!(error instanceof EmptyNames)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}
