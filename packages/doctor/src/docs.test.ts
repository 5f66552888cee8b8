import { readFileSync } from 'node:fs'
import { DOCTOR_CHECKS } from '@probity/contract/constants/data/doctor-checks'
import { expect, test } from 'vitest'

const page = readFileSync(new URL('../../../docs/doctor.md', import.meta.url), 'utf8')
const sections = page.split(/^### /m).slice(1)

test('docs/doctor.md has one section per check, in report order', () => {
  expect(sections.map((section) => section.split('\n')[0])).toEqual(Object.keys(DOCTOR_CHECKS))
})

test.each(Object.entries(DOCTOR_CHECKS))(
  'the section of %s has the title and the reason of the check, and a fix',
  (id, { title, why }) => {
    const section = sections.find((one) => one.startsWith(`${id}\n`)) ?? ''
    expect(section.replaceAll('\n', ' ')).toContain(`${title}. ${why}`) // one sentence per line
    expect(section).toMatch(/^Fix: .+/m)
  },
)
