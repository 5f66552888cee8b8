import { randomUUID } from 'node:crypto'
import { createDomainLookup } from '@probity/engine/domain/facts'
import { dnsError, type MailDns } from '@probity/engine/domain/resolver'
import { whenDone } from '@probity/lab/when-done'
import { Redis } from 'ioredis'
import { Registry } from 'prom-client'
import { expect, inject, test } from 'vitest'
import { openMeters } from '../server/metrics.ts'
import { budgetZones } from './zone-budget.ts'

const redis = new Redis(inject('redisUrl'))
whenDone(() => redis.disconnect())
const MINUTE = 60_000

/** A resolver that counts its queries; no name exists. */
function openCounting() {
  const asked: string[] = []
  const query = async (name: string): Promise<never> => {
    asked.push(name)
    throw dnsError('ENOTFOUND', 'no such name')
  }
  const dns: MailDns = { resolveMx: query, resolve4: query, resolve6: query, resolveTxt: query }
  return { asked, dns }
}

function openBudget(queriesMax: number, { prefix = `test-${randomUUID()}`, shared = redis } = {}) {
  const { asked, dns } = openCounting()
  const registry = new Registry()
  let now = Date.now()
  const options = { redis: shared, prefix, meters: openMeters(registry), queriesMax, now: () => now }
  return {
    asked,
    registry,
    dns: budgetZones(dns, options),
    pass: (ms: number) => {
      now += ms
    },
  }
}

const outcomeOf = (query: Promise<unknown>) => query.then(String, ({ code }: { code: string }) => code)

test('random subdomains of one zone receive no more queries than its budget, and other zones are not affected', async () => {
  const { asked, dns, registry } = openBudget(20)
  const lookup = createDomainLookup({ dns })
  const look = async (domain: string) => (await lookup.lookUp(domain)).facts.mail
  for (let n = 0; n < 100; n += 1) await look(`${randomUUID()}.victim.example`)
  expect(asked).toHaveLength(20)
  expect(await look('more.victim.example')).toMatchObject({ kind: 'unknown', failure: 'query_limit_reached' })
  expect(await look('other.example')).toMatchObject({ kind: 'none', reason: 'domain_not_found' })
  expect(await registry.metrics()).toMatch(/probity_dns_over_budget_total [1-9]/)
})

test('all workers share the budget, and the next minute has a new one', async () => {
  const prefix = `test-${randomUUID()}`
  const [one, two] = [openBudget(3, { prefix }), openBudget(3, { prefix })]
  const ask = ({ dns }: { dns: MailDns }) => outcomeOf(dns.resolveMx('a.shared.example'))
  expect([await ask(one), await ask(two), await ask(one), await ask(two), await ask(one)]).toEqual([
    'ENOTFOUND',
    'ENOTFOUND',
    'ENOTFOUND',
    'EBUDGET',
    'EBUDGET',
  ])
  one.pass(MINUTE)
  expect(await ask(one)).toBe('ENOTFOUND')
})

test('while Redis is unavailable, each worker counts for itself', async () => {
  const shared = new Redis({ port: 1, lazyConnect: true, enableOfflineQueue: false, retryStrategy: () => null })
  shared.on('error', () => undefined)
  const { dns } = openBudget(2, { shared })
  const ask = () => outcomeOf(dns.resolveMx('a.alone.example'))
  expect([await ask(), await ask(), await ask()]).toEqual(['ENOTFOUND', 'ENOTFOUND', 'EBUDGET'])
})
