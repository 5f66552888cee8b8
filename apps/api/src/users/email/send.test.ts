import { openMailer } from '@probity/email/send'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { openBrowser, PASSWORD, startUsersApi } from '../../testing/test-browser.ts'
import { invitationEmail } from './emails.ts'
import { startSink } from './test-sink.ts'

test('emails are sent through the SMTP relay with a link to the web app', async () => {
  const { url, received } = await startSink()
  const publicUrl = 'https://probity.example'
  const api = await startUsersApi({ config: { mail: { url, from: 'Probity <post@probity.example>' }, publicUrl } })
  const browser = openBrowser(api.app)
  await browser.post('/auth/sign-up/email', { name: 'Grace', email: 'grace@example.com', password: PASSWORD })

  await vi.waitFor(() => expect(received).toHaveLength(1), 5_000)
  const [letter] = received
  expect(letter).toMatchObject({ from: 'post@probity.example', to: ['grace@example.com'] })
  const plain = (letter?.text ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=')
  const token = /https:\/\/probity\.example\/app\/verify-email#token=([\w.-]+)/.exec(plain)?.[1]
  expect((await browser.post('/verify-email', { token, password: PASSWORD })).status).toBe(200)
})

test('sign-up with a registered address gets the usual response, and the owner of the address gets an email', async () => {
  const { url, received } = await startSink()
  const publicUrl = 'https://probity.example'
  const api = await startUsersApi({ config: { mail: { url, from: 'post@probity.example' }, publicUrl } })
  const sign = (email: string) =>
    openBrowser(api.app).post('/auth/sign-up/email', { name: 'Grace', email, password: PASSWORD })
  const fresh = await sign('grace@example.com')
  const taken = await sign('grace@example.com')

  expect(taken.status).toBe(fresh.status)
  expect(Object.keys(taken.body)).toEqual(Object.keys(fresh.body))
  const shapes = [fresh, taken].map(({ body }) => Object.keys(body['user'] as object).toSorted())
  expect(shapes[1]).toEqual(shapes[0])
  await vi.waitFor(() => expect(received.map(({ text }) => /^Subject: .*$/m.exec(text)?.[0])).toHaveLength(2), 5_000)
  expect(received[1]?.text).toContain('Subject: Your email address is already registered')
})

test('user-chosen names are text in an email and never a header', async () => {
  const { url, received } = await startSink()
  const mail = openMailer({ url, from: 'post@probity.example' }, pino({ level: 'silent' }))
  const nasty = '<b>Eve</b>\r\nBcc: all@example.com'
  await mail.send(invitationEmail('grace@example.com', nasty, 'Engines', 'https://probity.example/app'))
  mail.close()

  expect(received[0]?.to).toEqual(['grace@example.com'])
  const [head = ''] = (received[0]?.text ?? '').split('\r\n\r\n')
  expect(head).not.toMatch(/^bcc:/im)
  const [, html = ''] = (received[0]?.text ?? '').split('text/html')
  expect(html).toContain('Eve')
  expect(html).not.toContain('<b>')
})

test('an unavailable SMTP relay is logged without the address', async () => {
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => lines.push(line) })
  const mail = openMailer({ url: 'smtp://127.0.0.1:1', from: 'post@probity.example' }, log)
  await mail.send(invitationEmail('grace@example.com', 'Ada', 'Engines', 'https://probity.example/app'))
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('failed to send email')
  expect(lines[0]).not.toContain('@')
})
