import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { EVIDENCE_CHECKS } from '../../constants/data/evidence-checks.ts'
import { DEFERRED_EXAMPLE, VALID_EXAMPLE } from '../../constants/data/examples.ts'
import { SANDBOX_CASES } from '../../constants/data/sandbox.ts'
import { withOverride } from '../../constants/policies.ts'
import { Evidence, type EvidenceList } from './fields.ts'
import { notStartedResult, sandboxResult, unmappedResult } from './stored-result.ts'

type Check = { meaning: string; outcomes: Record<string, string> }
const CHECKS: Record<string, Check> = EVIDENCE_CHECKS

test('the evidence schemas list all checks and outcomes as extensible enums', () => {
  const { check, outcome }: Record<string, object> = Evidence.properties
  const outcomes = new Set(Object.values(CHECKS).flatMap((one) => Object.keys(one.outcomes)))
  expect(check).toMatchObject({ 'x-extensible-enum': Object.keys(CHECKS) })
  const listed = outcome && 'x-extensible-enum' in outcome ? outcome['x-extensible-enum'] : []
  expect(new Set(listed as string[])).toEqual(outcomes)
  for (const name of [...Object.keys(CHECKS), ...outcomes]) expect(name).toMatch(/^[a-z][a-z0-9_]*$/)
})

test('checks and outcomes use no words that the glossary replaces', () => {
  const excluded =
    /asked|unasked|held|silent|put_off|turned|given|told|garbled|dropped|own_lists|unrecogni[sz]ed|way_out/
  const names = Object.entries(CHECKS).flatMap(([check, { outcomes }]) => [check, ...Object.keys(outcomes)])
  expect(names.filter((name) => excluded.test(name))).toEqual([])
})

test('evidence of the contract is in the table', () => {
  const evidence: EvidenceList = [
    ...Object.values(SANDBOX_CASES).flatMap((one) =>
      one.kind === 'verdict' ? sandboxResult('ada@example.com', one).evidence : [],
    ),
    ...unmappedResult('ada@example.com').evidence,
    ...notStartedResult('ada@example.com').evidence,
    ...withOverride({ status: 'valid', safe_to_send: true, evidence: [] }, 'allow').evidence,
    ...(VALID_EXAMPLE.evidence as EvidenceList),
    ...(DEFERRED_EXAMPLE.evidence as EvidenceList),
  ]
  for (const { check, outcome } of evidence) expect(Object.keys(CHECKS[check]?.outcomes ?? {})).toContain(outcome)
})

test('the documentation has the table of checks and outcomes', () => {
  const page = readFileSync(new URL('../../../../../docs/concepts/evidence.md', import.meta.url), 'utf8')
  const rows = Object.entries(CHECKS).map(([check, { meaning, outcomes }]) => {
    const lines = Object.entries(outcomes).map(([outcome, means]) => `| \`${outcome}\` | ${means} |`)
    return [
      `### \`${check}\``,
      '',
      meaning.replaceAll('. ', '.\n'),
      '',
      '| `outcome` | meaning |',
      '|---|---|',
      ...lines,
    ].join('\n')
  })
  for (const row of rows) expect(page).toContain(row)
})
