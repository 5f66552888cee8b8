// @ts-expect-error: the package has no types
import publicList from 'role-based-email-addresses'
import { expect, test } from 'vitest'
import { ROLES } from './data/roles.ts'
import { parseAddress } from './parse.ts'
import { isRole } from './role.ts'

const PUBLIC_LIST: string[] = publicList

function isRoleAt(local: string): boolean {
  const address = parseAddress(`${local}@example.com`)
  if (address.kind === 'malformed') throw new Error(`${local}: ${address.reason}`)
  return isRole(address)
}

test.each(['info', 'marketing', 'sales', 'support', 'abuse', 'noc', 'security'])(
  'isRole is true for %s of RFC 2142',
  (local) => {
    expect(isRoleAt(local)).toBe(true)
  },
)

test.each(['postmaster', 'hostmaster', 'usenet', 'news', 'webmaster', 'www', 'uucp', 'ftp'])(
  'isRole is true for the service address %s of RFC 2142',
  (local) => {
    expect(isRoleAt(local)).toBe(true)
  },
)

test.each([
  'INFO',
  'Info',
  'info+newsletter',
  'info+',
  '"info"',
  '"info+a"',
  'no-reply',
  'no_reply',
  'no.reply',
  'noreply',
  'NoReply',
  'do-not-reply',
  'donotreply',
  'customer.service',
  'customerservice',
  'customer_service',
  'mailer-daemon',
  'MAILER-DAEMON',
  'members-request',
  'calendar-noreply',
  'list-bounces',
  'buchhaltung',
  'büro',
  'BÜRO',
  'kundenservice',
  'comptabilité',
  'comptabilite',
  'atencion-al-cliente',
  'vendas',
  'ventas',
  'segreteria',
  'biuro',
  'поддержка',
])('isRole is true for %s', (local) => {
  expect(isRoleAt(local)).toBe(true)
})

test.each([
  'ada',
  'ada.lovelace',
  'ada+info',
  'infos.ada',
  'ada-info',
  'information.ada',
  'salesman',
  'sales.ada',
  'ada.sales',
  'support-ada',
  'supporter',
  'in.fo',
  'sa-les',
  'it.ada',
  'h.r',
  'i.t',
  'request',
  'noreplyada',
  'mail',
  'me',
  'personal',
  '"in fo"',
  '"info "',
  '+info',
  'test',
  'root.beer',
  'constructor',
  'tostring',
])('isRole is false for %s', (local) => {
  expect(isRoleAt(local)).toBe(false)
})

test('ROLES contains each word once, in lower case and valid as a local part', () => {
  expect(new Set(ROLES).size).toBe(ROLES.length)
  for (const word of ROLES) {
    expect(word).toBe(word.toLowerCase().normalize('NFC'))
    expect(isRoleAt(word)).toBe(true)
  }
})

test('isRole is false for entries of the public list that are years, cities, brands or arbitrary words', () => {
  const taken = PUBLIC_LIST.filter(isRoleAt)
  expect(taken.length).toBeGreaterThan(200)
  expect(taken.length).toBeLessThan(PUBLIC_LIST.length / 3)
  const noOffice = [
    '2015',
    '2026',
    'paris',
    'berlin',
    'paypal',
    'instagram',
    'asdf',
    'abc',
    'alexa',
    'friends',
    'music',
  ]
  expect(noOffice.filter((word) => !PUBLIC_LIST.includes(word))).toEqual([])
  expect(noOffice.filter(isRoleAt)).toEqual([])
})
