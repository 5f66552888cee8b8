import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { type Component, listForeign, makeBill, nameOf } from './bill-of-materials.ts'
import { INSTALLED } from './data/runtime-programs.ts'
import { REAL_ROOT } from './test-workspace.ts'

type Told = Component & { externalReferences?: { type: string; hashes?: { alg: string; content: string }[] }[] }

const bill = makeBill(REAL_ROOT, INSTALLED)
const foreign = listForeign(bill) as Told[]

test('the bill of materials conforms to the CycloneDX schema', async () => {
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6)
  expect(await validator.validate(JSON.stringify(bill))).toBeNull()
  const { components: _, ...rest } = bill
  expect(await validator.validate(JSON.stringify({ ...rest, components: [{ type: 'library' }] }))).not.toBeNull()
})

test('the bill of materials contains runtime packages and no build or test packages', () => {
  const names = foreign.map(nameOf)
  expect(names).toEqual(expect.arrayContaining(['fastify', 'pg', 'bullmq', 'react', 'node-pg-migrate']))
  for (const tool of ['vitest', 'knip', '@biomejs/biome', 'astro', 'playwright-core']) expect(names).not.toContain(tool)
  expect(foreign.length).toBeGreaterThan(300)
})

test('each package has a license, a package URL, and the hash of the lockfile', () => {
  const { packages } = parse(readFileSync(join(REAL_ROOT, 'pnpm-lock.yaml'), 'utf8')) as {
    packages: Record<string, { resolution: { integrity: string } }>
  }
  for (const one of foreign) {
    const locked = packages[`${nameOf(one)}@${one.version}`]?.resolution.integrity.replace('sha512-', '') ?? ''
    const [hash] = one.externalReferences?.find(({ type }) => type === 'distribution')?.hashes ?? []
    expect([one.name, hash]).toEqual([
      one.name,
      { alg: 'SHA-512', content: Buffer.from(locked, 'base64').toString('hex') },
    ])
    expect(one.purl).toBe(`pkg:npm/${nameOf(one).replace('@', '%40')}@${one.version}`)
    expect([one.name, one.licenses?.length ?? 0]).not.toEqual([one.name, 0])
  }
})

test('a repeated run creates the same bytes', () => {
  expect(JSON.stringify(makeBill(REAL_ROOT, INSTALLED))).toBe(JSON.stringify(bill))
  expect(makeBill(REAL_ROOT, ['worker']).serialNumber).not.toBe(bill.serialNumber)
})
