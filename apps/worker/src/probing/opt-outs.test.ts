import { asOperator } from '@probity/database/connection/connect'
import { addOptedOut } from '@probity/database/validations/probing'
import { PROVIDER_LIMITS } from '@probity/engine/smtp/providers/data/limits'
import { freePort } from '@probity/lab/services/daemon'
import { startScripted } from '@probity/lab/smtp/server'
import { whenDone } from '@probity/lab/when-done'
import { expect, test, vi } from 'vitest'
import { start } from '../server/start.ts'
import { startTestWorld } from '../server/test-worker.ts'

const EGRESS = { name: 'probe.probity.example', heloName: 'probe.probity.example', mailFrom: 'bounce@probity.example' }
const ADDRESS = '127.98.0.1'

test('no probe is sent to a domain that opted out or to its subdomains, the credit is refunded, and each is counted', async () => {
  const world = await startTestWorld()
  const port = await freePort()
  const server = await startScripted({}, { host: ADDRESS, port })
  whenDone(() => server.stop())
  for (const domain of ['private.example', 'sub.private.example', 'open.example']) {
    await world.dns.put({ [domain]: { mx: [[10, `mx.${domain}`]] }, [`mx.${domain}`]: { a: [ADDRESS] } })
  }
  await asOperator(world.db, (trx) => addOptedOut(trx, { domain: 'private.example', note: 'by email' }))
  const environment = {
    policy: { port, allows: (address: string) => address === ADDRESS },
    providerLimits: PROVIDER_LIMITS,
  }
  const config = { ...world.config, egresses: [EGRESS], metrics: { host: '127.0.0.1', port: 0 } }
  const worker = await start(config, environment, world.log)
  whenDone(() => worker.stop())
  await world.open(['ada@private.example', 'bob@sub.private.example', 'eve@open.example'])
  await vi.waitFor(
    async () => expect((await world.look()).rows.every(({ state }) => state === 'final')).toBe(true),
    30_000,
  )

  const { rows, available, spent } = await world.look()
  const byEmail = new Map(rows.map((row) => [row.email, row]))
  for (const email of ['ada@private.example', 'bob@sub.private.example']) {
    expect(byEmail.get(email)).toMatchObject({
      refunded: true,
      result: {
        status: 'unknown',
        sub_status: 'not_probed',
        depth: 'dns',
        evidence: expect.arrayContaining([expect.objectContaining({ check: 'recipient', outcome: 'opted_out' })]),
      },
    })
  }
  expect(byEmail.get('eve@open.example')).toMatchObject({ refunded: false })
  expect(new Set(server.recipients.map((to) => to.split('@')[1]))).toEqual(new Set(['open.example']))
  expect({ available, spent }).toEqual({ available: 999, spent: 1 })
  const metrics = await (await fetch(`http://127.0.0.1:${worker.metricsAddress?.port}/metrics`)).text()
  expect(metrics).toContain('probity_opted_out_total 2')
})
