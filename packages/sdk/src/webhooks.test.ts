import { generateKeyPairSync, sign as signBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { ProbityWebhookError, webhooks } from './probity.ts'

const SECRET = `whsec_${btoa('a secret of twenty-four+')}`
const OTHER = `whsec_${btoa('and another of that size')}`
const BODY = JSON.stringify({ type: 'job.completed', data: { filename: 'Bücher' } })
const ID = 'msg_0198f2c4'

/** As the published library signs it. */
function sign(body = BODY, { secret = SECRET, at = new Date() } = {}): Record<string, string> {
  return {
    'webhook-id': ID,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(ID, at, body),
  }
}

const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000)

test('believes what the published library has signed, and gives back what it holds', async () => {
  const message = await webhooks.verify<{ type: string }>(BODY, sign(), SECRET)
  expect(message).toMatchObject({ id: ID, payload: JSON.parse(BODY) })
  expect(Math.abs(message.sentAt.getTime() - Date.now())).toBeLessThan(2_000)
})

test('the published library believes what is signed here', async () => {
  const headers = await webhooks.sign(BODY, SECRET, ID)
  expect(new Webhook(SECRET).verify(BODY, headers)).toEqual(JSON.parse(BODY))
  expect(await webhooks.verify(BODY, headers, SECRET)).toMatchObject({ id: ID })
})

test('takes headers as they come: of the platform, of Node, in any case', async () => {
  const signed = sign()
  const upper = Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toUpperCase(), value]))
  const lists = Object.fromEntries(Object.entries(signed).map(([name, value]) => [name, [value]]))
  for (const headers of [new Headers(signed), signed, upper, lists]) {
    expect((await webhooks.verify(BODY, headers, SECRET)).id).toBe(ID)
  }
})

test('takes the body as bytes, exactly as they came', async () => {
  expect((await webhooks.verify(new TextEncoder().encode(BODY), sign(), SECRET)).payload).toEqual(JSON.parse(BODY))
})

test('while a secret is replaced, either is believed', async () => {
  expect((await webhooks.verify(BODY, sign(BODY, { secret: OTHER }), [SECRET, OTHER])).id).toBe(ID)
  const both = {
    ...sign(),
    'webhook-signature': `v1a,x ${sign(BODY, { secret: OTHER })['webhook-signature']} ${sign()['webhook-signature']}`,
  }
  expect((await webhooks.verify(BODY, both, SECRET)).id).toBe(ID)
})

/** An Ed25519 key pair, and the headers that it signs, as Standard Webhooks defines them. */
function openKeyPair() {
  const { privateKey } = generateKeyPairSync('ed25519')
  const { x = '' } = privateKey.export({ format: 'jwk' })
  const publicKey = `whpk_${Buffer.from(x, 'base64url').toString('base64')}`
  const signAsymmetric = (body = BODY, at = new Date()) => {
    const timestamp = String(Math.floor(at.getTime() / 1_000))
    const signature = signBytes(null, Buffer.from(`${ID}.${timestamp}.${body}`), privateKey).toString('base64')
    return { 'webhook-id': ID, 'webhook-timestamp': timestamp, 'webhook-signature': `v1a,${signature}` }
  }
  return { publicKey, signAsymmetric }
}

test('accepts an Ed25519 signature with the public key, alone and next to an HMAC signature', async () => {
  const { publicKey, signAsymmetric } = openKeyPair()
  const alone = signAsymmetric()
  expect(await webhooks.verify(BODY, alone, publicKey)).toMatchObject({ id: ID, payload: JSON.parse(BODY) })
  const both = { ...alone, 'webhook-signature': `${sign()['webhook-signature']} ${alone['webhook-signature']}` }
  for (const keys of [publicKey, SECRET, [OTHER, publicKey]]) {
    expect((await webhooks.verify(BODY, both, keys)).id).toBe(ID)
  }
})

test('rejects an Ed25519 signature of another body, of another key, and one under the wrong version', async () => {
  const { publicKey, signAsymmetric } = openKeyPair()
  const signed = signAsymmetric()
  const renamed = { ...signed, 'webhook-signature': signed['webhook-signature'].replace('v1a,', 'v1,') }
  for (const [body, headers, key] of [
    [`${BODY} `, signed, publicKey],
    [BODY, signed, openKeyPair().publicKey],
    [BODY, renamed, publicKey],
    [BODY, signed, SECRET],
    [BODY, sign(), publicKey],
    [BODY, signAsymmetric(BODY, ago(310)), publicKey],
  ] as const) {
    await expect(webhooks.verify(body, headers, key)).rejects.toBeInstanceOf(ProbityWebhookError)
  }
})

test('a public key that is malformed is not a webhook error', async () => {
  const refusal = webhooks.verify(BODY, sign(), 'whpk_AAAA')
  await expect(refusal).rejects.toThrow('The public key of the webhook is not')
  await expect(refusal).rejects.not.toBeInstanceOf(ProbityWebhookError)
})

test.each<[string, string, Record<string, string>]>([
  ['another body', `${BODY} `, sign()],
  ['another secret', BODY, sign(BODY, { secret: OTHER })],
  ['another id', BODY, { ...sign(), 'webhook-id': 'msg_other' }],
  [
    'another time',
    BODY,
    { ...sign(BODY, { at: ago(10) }), 'webhook-timestamp': String(Math.floor(Date.now() / 1_000)) },
  ],
  [
    'an unknown version',
    BODY,
    { ...sign(), 'webhook-signature': String(sign()['webhook-signature']).replace('v1,', 'v2,') },
  ],
  ['no base64', BODY, { ...sign(), 'webhook-signature': 'v1,%%%' }],
  ['an empty signature', BODY, { ...sign(), 'webhook-signature': 'v1,' }],
  ['a message that is too old', BODY, sign(BODY, { at: ago(310) })],
  ['a message from the future', BODY, sign(BODY, { at: ago(-310) })],
  ['a time that is none', BODY, { ...sign(), 'webhook-timestamp': 'now' }],
  ['no id', BODY, { ...sign(), 'webhook-id': '' }],
])('refuses %s, as the published library does', async (_what, body, headers) => {
  await expect(webhooks.verify(body, headers, SECRET)).rejects.toBeInstanceOf(ProbityWebhookError)
  expect(() => new Webhook(SECRET).verify(body, headers)).toThrow()
})

test('how old a message may be is for the receiver to say', async () => {
  const headers = sign(BODY, { at: ago(1_000) })
  expect((await webhooks.verify(BODY, headers, SECRET, { toleranceS: 1_100 })).id).toBe(ID)
  await expect(webhooks.verify(BODY, sign(BODY, { at: ago(20) }), SECRET, { toleranceS: 10 })).rejects.toThrow(
    'too old',
  )
})

test('a secret that is none is told apart from a message that is not signed', async () => {
  const refusal = webhooks.verify(BODY, sign(), 'whsec_%%%')
  await expect(refusal).rejects.toThrow('The secret of the webhook is not')
  await expect(refusal).rejects.not.toBeInstanceOf(ProbityWebhookError)
})
