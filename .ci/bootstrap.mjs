import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * `pnpm bootstrap`, or `node .ci/bootstrap.mjs`, checks Node, pnpm and the programs of the tests, and says what to install. The exit code is
 * 0 if nothing is missing, else 1. It runs before `pnpm install` and with older versions of Node (14 and later): no package, and no newer syntax.
 */
const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')
const read = (path) => readFileSync(join(ROOT, path), 'utf8')
const { engines } = JSON.parse(read('package.json'))
const missingPackages = listMissingPackages()

const checks = [
  {
    name: 'Node',
    found: process.version,
    needed: engines.node,
    advice: `Install Node ${read('.nvmrc').trim()}: "nvm install" reads the version from .nvmrc, or download it from https://nodejs.org`,
  },
  {
    name: 'pnpm',
    found: readVersion('pnpm'),
    needed: engines.pnpm,
    advice: `npm install --global pnpm@${/\d+/.exec(engines.pnpm)[0]}`,
  },
].map((check) => ({ ...check, isMet: check.found !== undefined && isWithin(check.found, check.needed) }))

for (const { name, found, needed, advice, isMet } of checks) {
  console.log(
    `${isMet ? 'ok     ' : found ? 'wrong  ' : 'missing'} ${name} ${found || '(not found)'}${isMet ? '' : `, needs ${needed}`}`,
  )
  if (!isMet) console.log(`        ${advice}`)
}
if (missingPackages.length === 0) console.log('ok      programs of the tests')
else {
  console.log(`missing programs of the tests: ${missingPackages.join(' ')}`)
  console.log(
    `        Debian and Ubuntu: ${adminPrefix()}apt-get install --no-install-recommends ${missingPackages.join(' ')}`,
  )
  console.log('        Other systems: open the repository in its development container (.devcontainer)')
}
if (checks.every(({ isMet }) => isMet) && missingPackages.length === 0) {
  console.log('\nNext: pnpm install --frozen-lockfile, then pnpm dev --seed')
  console.log('pnpm dev needs PostgreSQL and Redis; "docker compose up -d --wait" starts both.')
} else process.exitCode = 1

function readVersion(program) {
  const { status, stdout } = spawnSync(program, ['--version'], { cwd: ROOT, encoding: 'utf8' })
  return status === 0 ? `v${stdout.trim()}` : undefined
}

/** Reads ranges as in package.json: ">=24.21.0 <25". */
function isWithin(version, range) {
  return range.split(' ').every((part) => {
    const [, operator, limit] = /^(>=|<)(.+)$/.exec(part)
    const order = compare(parseVersion(version), parseVersion(limit))
    return operator === '<' ? order < 0 : order >= 0
  })
}

function parseVersion(text) {
  return text.replace(/^v/, '').split('.').map(Number)
}

function compare(one, other) {
  for (const n of [0, 1, 2]) {
    const difference = (one[n] || 0) - (other[n] || 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** Debian keeps servers in sbin, which is not in the PATH of ordinary users. */
function listMissingPackages() {
  const script = `PATH=$PATH:/usr/sbin:/sbin
while read -r package program; do
  case $package in ''|'#'*) continue ;; esac
  case $program in
    /*) ls $program >/dev/null 2>&1 || echo "$package" ;;
    *) command -v "$program" >/dev/null || echo "$package" ;;
  esac
done`
  const { stdout } = spawnSync('/bin/sh', ['-c', script], { input: read('.ci/debian-packages'), encoding: 'utf8' })
  return stdout.split('\n').filter((name) => name !== '')
}

function adminPrefix() {
  return typeof process.getuid === 'function' && process.getuid() === 0 ? '' : 'sudo '
}
