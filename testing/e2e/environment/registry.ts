import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort, makeFolder, removeFolder, startDaemon } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { packPackages } from './packages.ts'
import { ROOT } from './programs.ts'
import { run } from './run.ts'

/** The package exports its library only; the program is beside it. */
const VERDACCIO = fileURLToPath(new URL('../bin/verdaccio', import.meta.resolve('verdaccio')))

/** `npm` runs npm with this registry, as a user without other npm settings. */
export type Registry = { url: string; npm(args: string[], cwd: string): string }

/**
 * Starts an npm registry and publishes the packages of this repository to it. The other packages come from the registry that npm
 * is configured with.
 */
export async function startRegistry(): Promise<Registry> {
  const [tarballs, folder, port] = [packPackages(), makeFolder('probity-registry'), await freePort()]
  whenDone(() => removeFolder(folder))
  const uplink = run('npm', ['config', 'get', 'registry'], ROOT).trim()
  const config = join(folder, 'config.yaml')
  writeFileSync(config, composeConfig(folder, uplink))
  const logFile = join(folder, 'log')
  const command = [process.execPath, VERDACCIO, '--config', config, '--listen', `127.0.0.1:${port}`]
  const daemon = await startDaemon(command, port, { logFile, startsWithinMs: 60_000 })
  whenDone(() => daemon.stop())

  const url = `http://127.0.0.1:${port}/`
  // npm publishes only with a token. The registry accepts any.
  writeFileSync(join(folder, 'npmrc'), `registry=${url}\n//127.0.0.1:${port}/:_authToken=any\n`)
  const env = {
    npm_config_userconfig: join(folder, 'npmrc'),
    npm_config_cache: join(folder, 'cache'),
    npm_config_registry: url,
  }
  const npm = (args: string[], cwd: string) => run('npm', args, cwd, env)
  for (const tarball of listTarballs(tarballs)) npm(['publish', tarball], folder)
  return { url, npm }
}

function listTarballs(folder: string): string[] {
  const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trim().split('\n')
  return sums.map((line) => join(folder, line.split('  ')[1] ?? ''))
}

/** Verdaccio never looks for packages of this repository elsewhere. JSON is YAML. */
function composeConfig(folder: string, uplink: string): string {
  const own = { access: '$all', publish: '$all' }
  return JSON.stringify({
    storage: join(folder, 'storage'),
    uplinks: { npm: { url: uplink, timeout: '60s' } },
    packages: { '@probity/*': own, '**': { access: '$all', proxy: 'npm' } },
    web: { enable: false },
    log: { type: 'stdout', format: 'json', level: 'warn' },
  })
}
