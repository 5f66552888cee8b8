import { withBigNames } from '@probity/lab/dns/big-names'
import { startHostileDns } from '@probity/lab/dns/hostile'
import { startDns } from '@probity/lab/dns/start'
import { afterAll, expect, test } from 'vitest'
import { findDmarc, findSpf } from './policies.ts'
import { openResolver } from './resolver.ts'

const [real, hostile] = await Promise.all([startDns(withBigNames()), startHostileDns()])
afterAll(() => Promise.all([real.stop(), hostile.stop()]))

const dns = openResolver({ servers: [`127.0.0.1:${real.port}`] })
const hostileDns = openResolver({ servers: [`127.0.0.1:${hostile.port}`] })

test.concurrent.each([
  ['two-mx.example', 'found'],
  ['spf-among-others.example', 'found'],
  ['spf-bare.example', 'found'],
  ['spf-in-parts.example', 'found'],
  ['long-txt.example', 'found'],
  ['one-long-txt.example', 'found'],
  ['null-mx.example', 'found'],
  ['alias.example', 'found'],
  ['spf-none.example', 'absent'],
  ['spf-twice.example', 'absent'],
  ['equal-mx.example', 'absent'],
  ['absent.example', 'absent'],
  ['alias-of-a.example', 'absent'],
  ['servfail.example', 'failed'],
  ['refused.example', 'failed'],
  ['silent.example', 'failed'],
  ['too-long-txt.example', 'failed'],
])('SPF of %s is %s', async (domain, expected) => {
  expect(await findSpf(domain, dns)).toBe(expected)
})

test.concurrent.each([
  ['two-mx.example', 'found'],
  ['dmarc-report-only.example', 'found'],
  ['dmarc-alias.example', 'found'],
  ['dmarc-organisation.example', 'found'],
  ['news.dmarc-organisation.example', 'found'],
  ['deep.news.dmarc-organisation.example', 'found'],
  ['own.dmarc-organisation.example', 'found'],
  ['absent.dmarc-organisation.example', 'found'],
  ['equal-mx.example', 'absent'],
  ['sub.equal-mx.example', 'absent'],
  ['dmarc-twice.example', 'absent'],
  ['dmarc-other-text.example', 'absent'],
  ['dmarc-no-policy.example', 'absent'],
  ['dmarc-alias-of-nothing.example', 'absent'],
  ['dmarc-servfail.example', 'failed'],
  ['sub.dmarc-servfail.example', 'failed'],
  ['refused.example', 'failed'],
])('DMARC of %s is %s', async (domain, expected) => {
  expect(await findDmarc(domain, dns)).toBe(expected)
})

test('findDmarc queries the organizational domain once, and only when the domain itself has no record', async () => {
  expect(await findDmarc('a.b.truth.example', hostileDns)).toBe('found')
  expect(hostile.countQuestions('truth.example')).toBe(2)
  expect(await findDmarc('two-mx.example', dns)).toBe('found')
})

test('a customer domain below the domain of a hosting provider does not inherit its policy', async () => {
  await real.put({
    '_dmarc.github.io': { txt: ['v=DMARC1; p=reject'] },
    '_dmarc.co.uk': { txt: ['v=DMARC1; p=reject'] },
    '_dmarc.firm.co.uk': { txt: ['v=DMARC1; p=reject'] },
  })
  expect(await findDmarc('tenant.github.io', dns)).toBe('absent')
  expect(await findDmarc('other.co.uk', dns)).toBe('absent')
  expect(await findDmarc('mail.firm.co.uk', dns)).toBe('found')
})
