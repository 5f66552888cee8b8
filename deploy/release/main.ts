import { resolve } from 'node:path'
import { EmptyNames, getReleaseNames, readReleaseNames } from './names.ts'
import { packPackages } from './packages.ts'

/** `pnpm -s release COMMAND`: steps of the release workflow that also run on a development machine. Prints JSON. */
const COMMANDS: Record<string, (folder: string) => unknown> = {
  names: () => getReleaseNames(),
  packages: (folder) => packPackages(folder, readReleaseNames().repository ?? ''),
}

const USAGE = `Usage: pnpm -s release COMMAND

names            print deploy/release/names.json; fail if a name is empty
packages FOLDER  pack @probity/sdk and @probity/cli into FOLDER, with SHA256SUMS
`

const [command = '', folder = ''] = process.argv.slice(2)
const run = COMMANDS[command]
if (run === undefined || (command !== 'names' && folder === '')) {
  process.stderr.write(USAGE)
  process.exitCode = 2
} else {
  try {
    process.stdout.write(`${JSON.stringify(run(resolve(folder)))}\n`)
  } catch (error) {
    if (!(error instanceof EmptyNames)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}
