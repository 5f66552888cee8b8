import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { validate } from 'dockerfile-utils'
import { expect, test } from 'vitest'
import { DATA } from './solo/data.ts'
import { LOGINS, PATH } from './solo/users.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const dockerfile = read('deploy/Dockerfile')
const stages = dockerfile.split(/^(?=FROM )/m).filter((stage) => stage.startsWith('FROM '))

test('the linter finds no fault in the Dockerfile', () => {
  expect(validate(dockerfile).map(({ message, range }) => `${range.start.line + 1}: ${message}`)).toEqual([])
  expect(validate('FROM debian\nRUM true\n')).not.toEqual([])
})

test('base images are build arguments with a tag, and Node has the version of the workspace', () => {
  const [, node] = /^([\d.]+)$/m.exec(read('.nvmrc').trim()) ?? []
  const bases = [...dockerfile.matchAll(/^FROM (?:\$\{(\w+)\}|(\S+))/gm)].map(
    ([, argument, stage]) => argument ?? stage,
  )
  expect(new Set(bases)).toEqual(new Set(['NODE_IMAGE', 'tools', 'DEBIAN_IMAGE', 'installed']))
  const images = [...dockerfile.matchAll(/^ARG (\w+)=(\S+)$/gm)].map(([, name, image]) => `${name}=${image}`)
  expect(images).toEqual([`NODE_IMAGE=node:${node}-trixie-slim`, 'DEBIAN_IMAGE=debian:trixie-slim'])
  expect(dockerfile).not.toMatch(/@sha256:[0-9a-f]/)
  const [, pnpm] = /PNPM_VERSION=(.+)/.exec(read('.ci/run')) ?? []
  expect(dockerfile).toContain(` pnpm@${pnpm}\n`)
})

const stageOf = (name: string) => stages.find((stage) => stage.includes(` AS ${name}\n`)) ?? ''

test('the product is not root, has a health check, and contains no build tools', () => {
  const [installed, product] = [stageOf('installed'), stageOf('product')]
  expect(product).toMatch(/^FROM installed AS product\n.*\nUSER 10001:10001\n/)
  expect(product).toMatch(/^HEALTHCHECK /m)
  expect(installed).toMatch(/^STOPSIGNAL SIGTERM$/m)
  expect(`${installed}${product}`).not.toMatch(/pnpm|npm install/)
  expect(product).not.toContain('COPY ')
})

test('solo is the default target, keeps its data in one volume, and creates the users of its supervisor', () => {
  const solo = stageOf('solo')
  expect(stages.at(-1)).toBe(solo)
  const users = `${stageOf('installed')}${solo}`
  expect(users.match(/^VOLUME .*$/gm)).toEqual([`VOLUME ["${DATA}"]`])
  expect(solo).toMatch(/^HEALTHCHECK [^[]*\["setpriv", "--reuid=10001", /m)
  expect(solo).toContain(`\nENV PATH=${PATH}\n`)
  const { probity, worker, postgres, redis } = LOGINS
  for (const { uid } of [probity, worker, postgres, redis]) expect(users).toContain(`--uid ${uid} `)
  for (const { gid } of [postgres, redis]) expect(users).toContain(`groupadd --system --gid ${gid} `)
})

test('the Dockerfile names no secret and copies only files of the allowlist', () => {
  expect(dockerfile).not.toMatch(/^(ARG|ENV) .*(PASSWORD|SECRET|TOKEN|KEY|DATABASE_URL|REDIS_URL)/m)
  const lines = read('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  expect(lines[0]).toBe('*')
  const allowed = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
  expect(allowed.filter((path) => /(^|\/)(\.|secrets)|\.env/.test(path))).toEqual([])
  const copied = [...dockerfile.matchAll(/^COPY (deploy\/\S+)/gm)].map(([, path]) => path)
  expect(allowed).toEqual(expect.arrayContaining(copied))
})
