import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { ROOT } from '../../environment/programs.ts'

const SDK = join(ROOT, 'packages/sdk')

/** The package as it would be published, and a folder in which it is installed. */
export type InstalledSdk = { tarball: string; folder: string; entries: { esm: string; cjs: string } }

export function installSdk(): InstalledSdk {
  const packed = makeFolder('probity-packed')
  const folder = makeFolder('probity-consumer')
  whenDone(() => [packed, folder].forEach(removeFolder))
  run('pnpm', ['build'], SDK)
  run('npm', ['pack', join(SDK, 'dist'), '--pack-destination', packed], packed)
  const tarball = join(packed, readdirSync(packed)[0] ?? '')
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }))
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], folder)
  const entryOf = (file: string) => join(folder, 'node_modules/@probity/sdk', file)
  return { tarball, folder, entries: { esm: entryOf('probity.js'), cjs: entryOf('probity.cjs') } }
}

/** Runs a program to its end and returns its output. The error of a failed program contains its output. */
export function run(program: string, args: string[], cwd: string, env: Record<string, string> = {}): string {
  const options = { cwd, encoding: 'utf8', env: { ...process.env, ...env }, stdio: 'pipe' } as const
  try {
    return execFileSync(program, args, options)
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}\n${stderr}`)
  }
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
