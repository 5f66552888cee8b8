import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { openMeters } from './metrics.ts'

test('the number of series does not grow with validated domains', async () => {
  const registry = new Registry()
  const meters = openMeters(registry)
  const count = () => registry.metrics().then((text) => text.split('\n').length)

  const say = (provider: string, enhanced: string) => {
    meters.judged({ asker: 'list', provider, status: 'valid', subStatus: '', isFinal: true, ms: 1 })
    meters.probed({ provider, egress: 'a.example' }, 'conclusive', 1)
    meters.connected({ provider, egress: 'a.example' })
    meters.heard({ provider, stage: 'rcpt', code: 550, enhanced })
  }
  say('', 'made up')
  const before = await count()
  for (let n = 0; n < 100; n += 1) say(`mx${n}.firm.example`, `${n}.${n}.${n}`)
  // Of these enhanced codes only 2.2.2, 4.4.4 and 5.5.5 are valid in RFC 3463.
  expect(await count()).toBe(before + 3)
  expect(await registry.metrics()).not.toContain('firm.example')

  say('google', '5.1.1')
  expect(await registry.metrics()).toContain(
    'probity_smtp_replies_total{provider="google",stage="rcpt",class="5xx",enhanced="5.1"} 1\n',
  )
})
