import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { packPackages } from '../../environment/packages.ts'
import { ROOT } from '../../environment/programs.ts'
import { run } from '../../environment/run.ts'

const SDK = join(ROOT, 'packages/sdk')

/** The package as it would be published, and a folder in which it is installed. */
export type InstalledSdk = { tarball: string; folder: string; entries: { esm: string; cjs: string } }

export function installSdk(): InstalledSdk {
  const folder = makeFolder('probity-consumer')
  whenDone(() => removeFolder(folder))
  const tarball = join(packPackages(), 'probity-sdk-0.1.0.tgz')
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }))
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], folder)
  const entryOf = (file: string) => join(folder, 'node_modules/@probity/sdk', file)
  return { tarball, folder, entries: { esm: entryOf('probity.js'), cjs: entryOf('probity.cjs') } }
}

export function runTool(name: string, args: string[]): string {
  return run(join(SDK, 'node_modules/.bin', name), args, SDK)
}

type Project = { name: string; files: Record<string, string>; compilerOptions: object }

/** Compiles files in a folder below the consumer's, with the declarations of the SDK. */
export function compile({ folder }: InstalledSdk, { name, files, compilerOptions }: Project): void {
  const place = join(folder, name)
  mkdirSync(place)
  for (const [file, text] of Object.entries(files)) writeFileSync(join(place, file), text)
  const strict = { strict: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck: false }
  const config = { compilerOptions: { ...strict, ...compilerOptions }, files: Object.keys(files) }
  writeFileSync(join(place, 'tsconfig.json'), JSON.stringify(config))
  run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', place], place)
}
