import providers from 'email-providers/all.json' with { type: 'json' }
import { parse as parseHost } from 'tldts'
import { expect, test } from 'vitest'
import { MISTAKEN_ENDINGS, MISTYPED_ENDINGS } from './data/endings.ts'
import { LOOK_ALIKES } from './data/look-alikes.ts'
import { MAIL_DOMAINS } from './data/mail-domains.ts'
import { MISSPELLINGS } from './data/misspellings.ts'
import { parseAddress } from './parse.ts'
import { suggest, suggestDecodedPlus } from './suggest.ts'

const WELL_KNOWN = MAIL_DOMAINS.flatMap(({ name, endings }) => endings.map((ending) => `${name}.${ending}`))

function suggestFor(text: string): string | null {
  const address = parseAddress(text)
  if (address.kind === 'malformed') throw new Error(`${text}: ${address.reason}`)
  return suggest(address)
}

test.each([
  ['gmial.com', 'gmail.com'],
  ['gamil.com', 'gmail.com'],
  ['gmal.com', 'gmail.com'],
  ['gmai.com', 'gmail.com'],
  ['gmaill.com', 'gmail.com'],
  ['gmali.com', 'gmail.com'],
  ['gnail.com', 'gmail.com'],
  ['gmsil.com', 'gmail.com'],
  ['gmaik.com', 'gmail.com'],
  ['ggmail.com', 'gmail.com'],
  ['mgail.com', 'gmail.com'],
  ['g-mail.com', 'gmail.com'],
  ['gmaila.com', 'gmail.com'],
  ['g.mail.com', 'gmail.com'],
  ['gmail.con', 'gmail.com'],
  ['gmail.cmo', 'gmail.com'],
  ['gmail.coom', 'gmail.com'],
  ['gmail.ocm', 'gmail.com'],
  ['gmail.vom', 'gmail.com'],
  ['gmail.comm', 'gmail.com'],
  ['gmail.co', 'gmail.com'],
  ['gmail.cm', 'gmail.com'],
  ['gmail.om', 'gmail.com'],
  ['gmail.com.com', 'gmail.com'],
  ['gmailc.om', 'gmail.com'],
  ['gmial.con', 'gmail.com'],
  ['GMIAL.COM', 'gmail.com'],
  ['googlemial.com', 'googlemail.com'],
  ['gogglemail.com', 'googlemail.com'],
  ['goglemail.com', 'googlemail.com'],
  ['hotmial.com', 'hotmail.com'],
  ['hotmai.com', 'hotmail.com'],
  ['hotmil.com', 'hotmail.com'],
  ['homail.com', 'hotmail.com'],
  ['hotnail.com', 'hotmail.com'],
  ['hitmail.com', 'hotmail.com'],
  ['hotmaill.com', 'hotmail.com'],
  ['otmail.com', 'hotmail.com'],
  ['hormaul.com', 'hotmail.com'],
  ['hotnaill.com', 'hotmail.com'],
  ['hotmail.con', 'hotmail.com'],
  ['hotmail.couk', 'hotmail.co.uk'],
  ['hotmail.co.ukk', 'hotmail.co.uk'],
  ['hotmail.com.uk', 'hotmail.co.uk'],
  ['hotmial.co.uk', 'hotmail.co.uk'],
  ['hotmai.fr', 'hotmail.fr'],
  ['hotmal.it', 'hotmail.it'],
  ['outlok.com', 'outlook.com'],
  ['outloook.com', 'outlook.com'],
  ['outlokk.com', 'outlook.com'],
  ['otulook.com', 'outlook.com'],
  ['outllok.com', 'outlook.com'],
  ['outlook.cpm', 'outlook.com'],
  ['outlok.fr', 'outlook.fr'],
  ['utlook.com', 'outlook.com'],
  ['yaho.com', 'yahoo.com'],
  ['yahooo.com', 'yahoo.com'],
  ['yhaoo.com', 'yahoo.com'],
  ['yahho.com', 'yahoo.com'],
  ['yahoo.con', 'yahoo.com'],
  ['yahoo.om', 'yahoo.com'],
  ['yaho.co.uk', 'yahoo.co.uk'],
  ['yahoo.couk', 'yahoo.co.uk'],
  ['yhoo.fr', 'yahoo.fr'],
  ['yahooo.de', 'yahoo.de'],
  ['yahoo.combr', 'yahoo.com.br'],
  ['yaho.com.br', 'yahoo.com.br'],
  ['iclod.com', 'icloud.com'],
  ['icloude.com', 'icloud.com'],
  ['icluod.com', 'icloud.com'],
  ['icould.com', 'icloud.com'],
  ['icloud.co', 'icloud.com'],
  ['aol.con', 'aol.com'],
  ['aol.co', 'aol.com'],
  ['aoll.com', 'aol.com'],
  ['live.con', 'live.com'],
  ['lvie.com', 'live.com'],
  ['msn.cmo', 'msn.com'],
  ['protonmial.com', 'protonmail.com'],
  ['protonmal.com', 'protonmail.com'],
  ['portonmail.com', 'protonmail.com'],
  ['porton.me', 'proton.me'],
  ['gmx.dee', 'gmx.de'],
  ['gmx.nett', 'gmx.net'],
  ['web.dee', 'web.de'],
  ['t-onlien.de', 't-online.de'],
  ['tonline.de', 't-online.de'],
  ['freent.de', 'freenet.de'],
  ['ornage.fr', 'orange.fr'],
  ['orangee.fr', 'orange.fr'],
  ['wanado.fr', 'wanadoo.fr'],
  ['freee.fr', 'free.fr'],
  ['lapsote.net', 'laposte.net'],
  ['libreo.it', 'libero.it'],
  ['liberoo.it', 'libero.it'],
  ['yandx.ru', 'yandex.ru'],
  ['yadnex.ru', 'yandex.ru'],
  ['mial.ru', 'mail.ru'],
  ['mail.ruu', 'mail.ru'],
  ['qq.con', 'qq.com'],
  ['163.con', '163.com'],
  ['comcas.net', 'comcast.net'],
  ['comcast.nte', 'comcast.net'],
  ['comcats.net', 'comcast.net'],
  ['verzion.net', 'verizon.net'],
  ['att.nett', 'att.net'],
  ['bellsoth.net', 'bellsouth.net'],
  ['sbcgloabl.net', 'sbcglobal.net'],
  ['btintenret.com', 'btinternet.com'],
  ['rediffmial.com', 'rediffmail.com'],
  // An ending that is not delegated is wrong after any name.
  ['acme.con', 'acme.com'],
  ['acme.ogr', 'acme.org'],
  ['acme.nte', 'acme.net'],
  ['acme.couk', 'acme.co.uk'],
  ['mail.acme.con', 'mail.acme.com'],
  ['mail.con', 'mail.com'],
  ['email.con', 'email.com'],
  ['grail.con', 'grail.com'],
])('suggest corrects %s to %s', (typed, meant) => {
  expect(suggestFor(`ada@${typed}`)).toBe(`ada@${meant}`)
})

test.each(Object.entries(MISSPELLINGS))('suggest corrects the listed %s to %s', (typed, meant) => {
  expect(suggestFor(`ada@${typed}`)).toBe(`ada@${meant}`)
  expect([...WELL_KNOWN]).toContain(meant)
})

test('suggest corrects the domain and keeps the local part', () => {
  expect(suggestFor('Ada.L+x@gmial.com')).toBe('Ada.L+x@gmail.com')
  expect(suggestFor('"a b"@gmial.com')).toBe('"a b"@gmail.com')
  expect(suggestFor('"ada"@gmial.com')).toBe('ada@gmail.com')
  expect(suggestFor('jörg@gmial.com')).toBe('jörg@gmail.com')
})

test.each(WELL_KNOWN)('suggest returns nothing for %s', (domain) => {
  expect(suggestFor(`ada@${domain}`)).toBeNull()
})

test.each(LOOK_ALIKES)('suggest returns nothing for %s, which only resembles another domain', (domain) => {
  expect(suggestFor(`ada@${domain}`)).toBeNull()
})

test.each([
  // Another first letter makes another name.
  'hmail.com',
  'tmail.com',
  'nmail.com',
  'jmail.com',
  'potmail.com',
  'lahoo.com',
  // The right name in a country that is not listed.
  'yahoo.xy',
  'hotmail.lu',
  'outlook.lu',
  'gmail.fr',
  'gmail.it',
  'gmail.com.br',
  'live.lu',
  'icloud.de',
  'gmail.net',
  'gmail.org',
  'yahoo.org',
  'gmail.nett',
  // Two errors in a short name, or two letters that are far apart on the keyboard.
  'gmll.com',
  'gamill.com',
  'yhhooo.com',
  'icluodd.com',
  'outmark.com',
  'hotwall.com',
  'hotbail.com.au.example',
  'verdion.net',
  'comfort.net',
  // Equally similar to fastmail and foxmail.
  'foasmail.com',
  // Short names and dictionary words have too many similar names.
  'live.co',
  'live.cm',
  'qq.co',
  'aon.com',
  'alo.com',
  'mns.com',
  'msm.com',
  'gmc.com',
  'qqq.com',
  '162.com',
  'wab.de',
  'fred.fr',
  'tree.fr',
  'sfo.fr',
  'gmc.de',
  'orangs.fr',
  'grange.fr',
  'liber.it',
  'liberty.it',
  'rodgers.com',
  'charger.net',
  'charters.net',
  'frontiers.com',
  'navar.com',
  'protein.me',
  // Nothing to do with mail providers.
  'example.com',
  'example.org',
  'company.co',
  'startup.io',
  'acme.cam',
  'acme.cm',
  'acme.om',
  'acme.ne',
  'mail.example.com',
  'smtp.gmail.com',
  'gmail.example.com',
  'goggles.com',
  'proton.example',
  'xn--mnchen-3ya.de',
  'xn--gmil-6na.com',
  'constructor.com',
  'x.constructor',
])('suggest returns nothing for %s', (domain) => {
  expect(suggestFor(`ada@${domain}`)).toBeNull()
})

test('suggest returns nothing for address literals', () => {
  expect(suggestFor('ada@[192.0.2.1]')).toBeNull()
})

test('a suggestion is not corrected again', () => {
  for (const right of [...Object.values(MISSPELLINGS)]) expect(suggestFor(`a@${right}`)).toBeNull()
})

test('no mistyped ending is in the root zone', () => {
  for (const [ending, right] of Object.entries(MISTYPED_ENDINGS)) {
    const { isIcann } = parseHost(`example.${ending}`)
    expect([ending, isIcann && !ending.includes('.')]).toEqual([ending, false])
    expect(parseHost(`example.${right}`).isIcann).toBe(true)
  }
})

test('suggest corrects an existing ending only after a well-known name', () => {
  for (const [ending, right] of Object.entries(MISTAKEN_ENDINGS)) {
    expect(suggestFor(`a@acme.${ending}`)).toBeNull()
    expect(WELL_KNOWN.some((domain) => domain.endsWith(`.${right}`))).toBe(true)
  }
})

test('no domain is in both the table of real and that of mistyped names', () => {
  const real = [...WELL_KNOWN, ...LOOK_ALIKES]
  expect(new Set(real).size).toBe(real.length)
  expect(LOOK_ALIKES.length).toBeGreaterThan(150)
  expect(Object.keys(MISSPELLINGS).filter((domain) => real.includes(domain))).toEqual([])
})

test('suggest returns nothing for thousands of providers, except typos in their list', () => {
  const spoken = providers.filter((domain) => {
    const address = parseAddress(`a@${domain}`)
    return address.kind === 'address' && suggest(address) !== null
  })
  expect(providers.length).toBeGreaterThan(8000)
  expect(spoken.toSorted()).toEqual([
    'gamil.com',
    'gmai.com',
    'gmail.co',
    'gmail.com.com',
    'gmail.om',
    'gmal.com',
    'gmial.com',
    'homail.com',
    'hotmai.com',
    'hotmail.cm',
    'hotmail.con',
    'hotmails.com',
    'hotmial.com',
    'snail-mail.ney',
    'yaho.com',
    'yahoo.om',
  ])
})

test.each([
  ['ada x@example.com', 'ada+x@example.com'],
  ['  ada x@example.com ', 'ada+x@example.com'],
  ['ada x@gmial.com', 'ada+x@gmail.com'],
  ['ada lovelace king@example.com', null],
  ['ada @example.com', null],
  ['ada x@exa mple.com', null],
  ['ada\tx@example.com', null],
  ['ada x', null],
  ['ada x@localhost', null],
])('suggestDecodedPlus returns for %j: %s', (email, suggestion) => {
  expect(suggestDecodedPlus(email)).toBe(suggestion)
})
