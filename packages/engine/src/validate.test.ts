import { expect, test } from 'vitest'
import type { DomainFacts } from './domain/facts.ts'
import type { MailboxProbeRequest } from './smtp/probe/prober.ts'
import type { ProbeResult } from './smtp/probe/result.ts'
import { type Attempt, validate } from './validate.ts'
import { DEFAULT_OPTIONS } from './verdict/conclude.ts'

const FACTS: DomainFacts = {
  domain: 'a.example',
  mail: { kind: 'hosts', hosts: [{ name: 'mx.a.example', preference: 10 }], source: 'mx' },
  spf: 'found',
  dmarc: 'found',
  provider: '',
  asked: [],
}

const ACCEPTED: ProbeResult = {
  finding: { kind: 'accepted', code: 250 },
  acceptAll: 'no',
  acceptAllSource: 'live',
  host: 'mx.a.example',
  transcript: [],
  at: 0,
  ms: 1,
}

type Case = {
  facts?: Partial<DomainFacts>
  mailbox?: Partial<ProbeResult>
  retryMs?: number | null
  timeFactor?: number
}

/** Validates an address whose domain and mailbox have these findings, and lists what was probed. */
async function run({ facts, mailbox, retryMs = null, timeFactor = 1 }: Case, attempt: Partial<Attempt>) {
  const probed: MailboxProbeRequest[] = []
  const network = {
    timeFactor,
    domains: { lookUp: async () => ({ facts: { ...FACTS, ...facts }, source: 'live' as const }) },
    lists: { classify: () => ({ isDisposable: false, isFree: false, isPrivacyRelay: false, disposableSources: [] }) },
    prober: {
      async probe(request: MailboxProbeRequest) {
        probed.push(request)
        return { ...ACCEPTED, ...mailbox }
      },
      nextRetryMs: () => retryMs,
      close: async () => {},
    },
  }
  return { probed, validation: await validate('ada@a.example', network, attempt) }
}

test.each([
  ['sends', true, false],
  ['sends no', false, true],
])('validate %s control recipient with the option catchall %s', async (_, catchall, skipsControl) => {
  const { probed } = await run({}, { options: { ...DEFAULT_OPTIONS, catchall } })
  expect(probed).toMatchObject([{ recipient: { path: 'ada@a.example', skipsControl } }])
})

const NO_DNS: Case = { facts: { spf: 'failed' } }
const TIMEOUT: Case = { mailbox: { finding: { kind: 'unanswered', why: 'timeout' } } }

test.each([0, 1])('validate retries after DNS did not respond, without a probe, after %i such attempts', async (n) => {
  const { probed, validation } = await run(NO_DNS, { noResponses: n })
  expect(validation.retry).toEqual({ kind: 'no_response', of: 'dns', afterMs: 12_000 })
  expect(probed).toEqual([])
})

test.each([0, 1])('validate retries after the mail server did not respond, after %i such attempts', async (n) => {
  const { validation } = await run(TIMEOUT, { noResponses: n })
  expect(validation.retry).toEqual({ kind: 'no_response', of: 'mail_server', afterMs: 12_000 })
})

test('validate with a time factor of 60 waits a 60th for the server and before a retry, but not of the provider schedule', async () => {
  const began = performance.now()
  const { probed, validation } = await run({ ...TIMEOUT, timeFactor: 60 }, { noResponses: 0 })
  expect(validation.retry).toEqual({ kind: 'no_response', of: 'mail_server', afterMs: 200 })
  expect((probed[0]?.deadline ?? 0) - began).toBeLessThan(40_000 / 60 + 5_000)
  const deferred = await run({ mailbox: { retry: { afterMs: null } }, retryMs: 1_000, timeFactor: 60 }, {})
  expect(deferred.validation.retry).toEqual({ kind: 'deferred', afterMs: 1_000 })
})

test.each([
  ['DNS', NO_DNS],
  ['the mail server', TIMEOUT],
])('validate takes no response of %s as final after two retries, and where none are wanted', async (_, found) => {
  for (const attempt of [{ noResponses: 2 }, {}]) {
    const { validation, probed } = await run(found, attempt)
    expect(validation.retry).toBeNull()
    expect(probed).toHaveLength(1)
  }
})

test('validate does not retry mail servers that are not on the public internet', async () => {
  const { validation } = await run(
    { mailbox: { finding: { kind: 'unanswered', why: 'not_routable' } } },
    { noResponses: 0 },
  )
  expect(validation.retry).toBeNull()
})

test.each([
  ['deferred', { kind: 'refused', code: 450, reason: 'greylisted' }],
  ['throttled', { kind: 'unanswered', why: 'throttled' }],
] as const)('validate returns when a %s probe is retried', async (kind, finding) => {
  const mailbox = { finding, retry: { afterMs: null } }
  const { validation } = await run({ mailbox, retryMs: 60_000 }, { noResponses: 0 })
  expect(validation.retry).toEqual({ kind, afterMs: 60_000 })
})
