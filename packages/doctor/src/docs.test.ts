import { readFileSync } from 'node:fs'
import { DOCTOR_CHECKS } from '@probity/contract/data/doctor-checks'
import { expect, test } from 'vitest'

const page = readFileSync(new URL('../../../docs/doctor.md', import.meta.url), 'utf8')
const sections = page.split(/^### /m).slice(1)

test('the page has a section for every check, in the order of a report, and for no other', () => {
  expect(sections.map((section) => section.split('\n')[0])).toEqual(Object.keys(DOCTOR_CHECKS))
})

test.each(Object.entries(DOCTOR_CHECKS))('%s is told as the report tells it, with what to do', (id, { title, why }) => {
  const section = sections.find((one) => one.startsWith(`${id}\n`)) ?? ''
  expect(section).toContain(`${title}. ${why}`)
  expect(section).toMatch(/^To do: .+/m)
})
