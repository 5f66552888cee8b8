import { expect, test } from 'vitest'
import { findFamily, parseCapabilities } from './handshake.ts'

const ehlo = (...lines: string[]) => ({ code: 250, enhanced: null, lines: ['mx.example greets you', ...lines] })

test('parseCapabilities reads keywords in any case and ignores the greeting line', () => {
  expect(parseCapabilities(ehlo('pipelining', 'SIZE 1000', 'StartTLS', 'SMTPUTF8'))).toMatchObject({
    pipelining: true,
    starttls: true,
    utf8: true,
  })
  const none = parseCapabilities({ code: 250, enhanced: null, lines: ['PIPELINING'] })
  expect(none.pipelining).toBe(false)
})

test.each([
  ['LIMITS RCPTMAX=2 MAILMAX=3 RCPTDOMAINMAX=1', { recipients: 2, transactions: 3, domains: 1 }],
  ['LIMITS rcptmax=50', { recipients: 50, transactions: Infinity, domains: Infinity }],
  ['LIMITS RCPTMAX=0', { recipients: Infinity, transactions: Infinity, domains: Infinity }],
  ['LIMITS RCPTMAX=-1 MAILMAX=1e9', { recipients: Infinity, transactions: Infinity, domains: Infinity }],
  ['LIMITS RCPTMAX=9999999', { recipients: Infinity, transactions: Infinity, domains: Infinity }],
])('%s (RFC 9422)', (line, limits) => {
  expect(parseCapabilities(ehlo(line)).limits).toEqual(limits)
})

test.each([
  ['mx.example ESMTP Postfix (Debian/GNU)', 'postfix'],
  ['mx.example ESMTP Exim 4.96', 'exim'],
  ['mx.example Microsoft ESMTP MAIL Service ready', 'exchange'],
  ['mx.example ESMTP OpenSMTPD', 'opensmtpd'],
  ['postfixture.example ESMTP', 'unknown'],
])('%s', (banner, family) => {
  expect(findFamily({ code: 220, enhanced: null, lines: [banner] })).toBe(family)
})
