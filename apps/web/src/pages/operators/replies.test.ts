import { expect, test } from 'vitest'
import { ruleRow } from './Replies.tsx'

const TIMES = { seen: 3, first_seen_at: '', last_seen_at: '', reviewed_at: null }

test('ruleRow builds a rule whose pattern matches the reply', () => {
  const row = ruleRow({ provider: 'gmx', stage: 'rcpt', code: 550, reply: "5.7.1 Go away (it's [you])/now", ...TIMES })
  expect(row).toContain("provider: ['gmx'],")
  expect(row).toContain("enhanced: '5.7.1',")
  expect(row).toContain(`seen: "550 5.7.1 Go away (it's [you])/now",`)
  const pattern = /says: \/(.+)\/,/.exec(row)?.[1] ?? ''
  expect(new RegExp(pattern).test("5.7.1 go away (it's [you])/now")).toBe(true)
})

test('ruleRow uses the early stage before RCPT and omits an unknown provider', () => {
  const row = ruleRow({ provider: '', stage: 'greeting', code: 421, reply: 'Not now', ...TIMES })
  expect(row).toContain("stage: 'early',")
  expect(row).not.toContain('provider')
  expect(row).not.toContain('enhanced')
})
