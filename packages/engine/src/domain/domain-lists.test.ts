import { chmodSync, mkdirSync, mkdtempSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { FREE_ADDED, NOT_FREE } from '../address/data/free-providers.ts'
import { PRIVACY_RELAYS } from '../address/data/privacy-relays.ts'
import { type ListProblem, openDomainLists } from './domain-lists.ts'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

/** The operator's folder, a clock, and the reported problems. */
function openFolder(files: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'probity-lists-'))
  folders.push(folder)
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  for (const [name, text] of Object.entries(files)) write(name, text)

  let time = 0
  const problems: ListProblem[] = []
  const lists = openDomainLists({ folder, report: (problem) => problems.push(problem), now: () => time })
  return { folder, write, problems, lists, wait: (ms: number) => (time += ms) }
}

const lists = openDomainLists()

test.each([
  'mailinator.com',
  'x.mailinator.com',
  'deep.x.mailinator.com',
  'MAILINATOR.com',
  'guerrillamail.com',
  '10minutemail.com',
  'yopmail.com',
  'temp-mail.org',
  'trashmail.com',
  'sharklasers.com',
  'getnada.com',
  'maildrop.cc',
])('%s is disposable', (domain) => {
  expect(lists.classify(domain)).toMatchObject({ isDisposable: true, isFree: false, isPrivacyRelay: false })
})

test.each([
  'gmail.com',
  'outlook.com',
  'yahoo.com',
  'icloud.com',
  'proton.me',
  'gmx.de',
  'mail.ru',
  'tutanota.com',
  'qq.com',
  'hotmail.co.uk',
])('%s is free and not disposable', (domain) => {
  expect(lists.classify(domain)).toMatchObject({ isDisposable: false, isFree: true, isPrivacyRelay: false })
})

test.each([
  'example.com',
  'my-yopmail.com.example',
  'mailinator.com.example',
  'facebook.com',
  'localhost',
  'constructor',
  '',
  'com',
])('%j has no class', (domain) => {
  expect(lists.classify(domain)).toMatchObject({ isDisposable: false, isFree: false, isPrivacyRelay: false })
})

test.each([...Object.keys(PRIVACY_RELAYS), 'ada.anonaddy.com', 'ada.mozmail.com'])(
  '%s is a privacy relay, even if a list has it as disposable',
  (domain) => {
    expect(lists.classify(domain)).toMatchObject({ isDisposable: false, isFree: false, isPrivacyRelay: true })
  },
)

test('a domain on one imprecise list is not disposable, on two it is', () => {
  expect(lists.classify('forwardemail.net')).toMatchObject({ isDisposable: false, disposableSources: ['mailchecker'] })
  expect(lists.classify('33mail.com')).toMatchObject({
    isDisposable: true,
    disposableSources: ['disposable-domains', 'mailchecker'],
  })
  expect(lists.classify('mailinator.com').disposableSources).toContain('disposable-email-domains-js')
})

test('a listed public suffix does not apply to the domains below it', () => {
  expect(lists.classify('dynu.net').isDisposable).toBe(true)
  expect(lists.classify('firm.dynu.net')).toMatchObject({ isDisposable: false, disposableSources: [] })
  expect(lists.classify('firm.msk.ru')).toMatchObject({ isDisposable: false, disposableSources: [] })
})

test('a disposable domain is not free, even if a list of free providers has it', () => {
  expect(lists.classify('21cn.com')).toMatchObject({ isDisposable: true, isFree: false })
  expect(lists.classify('privacy.net')).toMatchObject({ isDisposable: true, isFree: false })
})

test('no domain in the free table is disposable, and no domain of the exceptions is free', () => {
  expect(FREE_ADDED.filter((domain) => !lists.classify(domain).isFree)).toEqual([])
  expect(NOT_FREE.filter((domain) => lists.classify(domain).isFree)).toEqual([])
})

test('operator lists extend every bundled list', () => {
  const { lists: own, problems } = openFolder({
    'disposable.txt': '# ours\nburner.example # a comment\n\r\n  SPACED.example  \nbücher.example\n',
    'free.txt': 'freebie.example\n',
    'relays.txt': 'relay.example',
  })
  expect(problems).toEqual([])
  const named = { isDisposable: true, disposableSources: ['operator'] }
  expect(own.classify('burner.example')).toMatchObject(named)
  expect(own.classify('x.burner.example')).toMatchObject(named)
  expect(own.classify('spaced.example')).toMatchObject(named)
  expect(own.classify('xn--bcher-kva.example')).toMatchObject(named)
  expect(own.classify('freebie.example')).toMatchObject({ isFree: true })
  expect(own.classify('a.relay.example')).toMatchObject({ isPrivacyRelay: true, isDisposable: false })
  expect(own.classify('mailinator.com')).toMatchObject({ isDisposable: true })
})

test('operator lists take precedence over bundled ones, and closer entries over others', () => {
  const { lists: own } = openFolder({
    'allow.txt': 'mailinator.com\ngood.burner.example\n',
    'disposable.txt': 'duck.com\nburner.example\n',
    'relays.txt': 'yopmail.com\n',
  })
  expect(own.classify('mailinator.com')).toMatchObject({ isDisposable: false })
  expect(own.classify('x.mailinator.com')).toMatchObject({ isDisposable: false })
  expect(own.classify('duck.com')).toMatchObject({ isDisposable: true, isPrivacyRelay: false })
  expect(own.classify('burner.example')).toMatchObject({ isDisposable: true })
  expect(own.classify('good.burner.example')).toMatchObject({ isDisposable: false })
  expect(own.classify('yopmail.com')).toMatchObject({ isDisposable: false, isPrivacyRelay: true })
})

test('a changed or removed file has an effect after a few seconds', () => {
  const { lists: own, write, wait, folder } = openFolder({ 'disposable.txt': 'one.example\n' })
  const isDisposable = (domain: string) => own.classify(domain).isDisposable
  write('disposable.txt', 'two.example\nthree.example\n')
  write('allow.txt', 'mailinator.com\n')
  expect([isDisposable('one.example'), isDisposable('two.example')]).toEqual([true, false])
  wait(3_000)
  expect([isDisposable('one.example'), isDisposable('two.example')]).toEqual([false, true])
  expect(isDisposable('mailinator.com')).toBe(false)
  unlinkSync(join(folder, 'disposable.txt'))
  wait(3_000)
  expect(isDisposable('two.example')).toBe(false)
})

test.each([
  ['a line that is no domain', 'two.example\nnot a domain\n', 'line 2 is not a domain'],
  ['a public suffix', 'co.uk\n', 'line 1 is not a domain'],
  ['an address', 'ada@two.example\n', 'line 1 is not a domain'],
  ['bytes', `two.example\n\0\u0001\u0002`, 'line 2 is not a domain'],
  ['a web page', '<html>', 'line 1 is not a domain'],
  ['too much', '#'.repeat(4 * 1024 * 1024 + 1), 'is larger than 4194304 bytes'],
])('a file with %s changes nothing and is reported once', (_, text, reason) => {
  const { lists: own, write, wait, problems, folder } = openFolder({ 'disposable.txt': 'one.example\n' })
  write('disposable.txt', text)
  for (let n = 0; n < 3; n++) {
    wait(3_000)
    expect(own.classify('one.example').isDisposable).toBe(true)
    expect(own.classify('two.example').isDisposable).toBe(false)
  }
  expect(problems).toEqual([{ file: join(folder, 'disposable.txt'), reason }])

  write('disposable.txt', 'two.example\n')
  wait(3_000)
  expect(own.classify('two.example').isDisposable).toBe(true)
  expect(own.classify('one.example').isDisposable).toBe(false)
})

test('a folder instead of a file, an unreadable file and a missing folder are reported', () => {
  const { problems, write, wait, lists: own, folder } = openFolder()
  expect(problems).toEqual([])
  mkdirSync(join(folder, 'free.txt'))
  wait(3_000)
  own.classify('a.example')
  expect(problems).toEqual([{ file: join(folder, 'free.txt'), reason: 'is not a file' }])
  if (process.getuid?.() !== 0) {
    write('allow.txt', 'a.example')
    chmodSync(join(folder, 'allow.txt'), 0)
    wait(3_000)
    own.classify('a.example')
    expect(problems[1]).toMatchObject({ reason: expect.stringContaining('EACCES') })
  }

  const missing: ListProblem[] = []
  const without = openDomainLists({ folder: join(folder, 'nowhere'), report: (problem) => missing.push(problem) })
  expect(missing).toEqual([{ file: join(folder, 'nowhere'), reason: 'is not a folder' }])
  expect(without.classify('mailinator.com').isDisposable).toBe(true)
})
