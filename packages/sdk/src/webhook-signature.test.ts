import { generateKeyPairSync, sign as signBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { signWebhook, type VerifyWebhookOptions, verifyWebhook, WebhookVerificationError } from './probity.ts'

const SECRET = `whsec_${btoa('a secret of twenty-four+')}`
const OTHER = `whsec_${btoa('and another of that size')}`
const ID = 'evt_0198f2c4'
const BODY = JSON.stringify({ id: ID, type: 'job.completed', data: { filename: 'Bücher' } })

/** Headers with the signature of the standardwebhooks library. */
function sign(body = BODY, { secret = SECRET, at = new Date() } = {}): Record<string, string> {
  return {
    'webhook-id': ID,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(ID, at, body),
  }
}

const verify = (payload: string | Uint8Array, headers: VerifyWebhookOptions['headers'], secret: string | string[]) =>
  verifyWebhook({ payload, headers, secret })

const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000)

test('verifyWebhook accepts the signature of the standardwebhooks library and returns the event', async () => {
  expect(await verify(BODY, sign(), SECRET)).toEqual(JSON.parse(BODY))
})

test('signWebhook creates signatures that the standardwebhooks library accepts', async () => {
  const headers = await signWebhook({ payload: BODY, secret: SECRET, id: ID })
  expect(new Webhook(SECRET).verify(BODY, headers)).toEqual(JSON.parse(BODY))
  expect(await verify(BODY, headers, SECRET)).toMatchObject({ id: ID })
})

test('verifyWebhook accepts Headers and plain objects, with names in any case', async () => {
  const signed = sign()
  const upper = Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toUpperCase(), value]))
  const lists = Object.fromEntries(Object.entries(signed).map(([name, value]) => [name, [value]]))
  for (const headers of [new Headers(signed), signed, upper, lists]) {
    expect((await verify(BODY, headers, SECRET)).id).toBe(ID)
  }
})

test('verifyWebhook accepts the body as bytes', async () => {
  expect(await verify(new TextEncoder().encode(BODY), sign(), SECRET)).toEqual(JSON.parse(BODY))
})

test('verifyWebhook accepts one of several secrets', async () => {
  expect((await verify(BODY, sign(BODY, { secret: OTHER }), [SECRET, OTHER])).id).toBe(ID)
  const at = new Date()
  const signed = sign(BODY, { at })
  const other = sign(BODY, { secret: OTHER, at })
  const both = { ...signed, 'webhook-signature': `v1a,x ${other['webhook-signature']} ${signed['webhook-signature']}` }
  expect((await verify(BODY, both, SECRET)).id).toBe(ID)
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

test('verifyWebhook accepts an Ed25519 signature, alone and next to an HMAC signature', async () => {
  const { publicKey, signAsymmetric } = openKeyPair()
  const at = new Date()
  const alone = signAsymmetric(BODY, at)
  expect(await verify(BODY, alone, publicKey)).toEqual(JSON.parse(BODY))
  const both = {
    ...alone,
    'webhook-signature': `${sign(BODY, { at })['webhook-signature']} ${alone['webhook-signature']}`,
  }
  for (const keys of [publicKey, SECRET, [OTHER, publicKey]]) {
    expect((await verify(BODY, both, keys)).id).toBe(ID)
  }
})

test('verifyWebhook rejects an Ed25519 signature of another body, key or version', async () => {
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
    await expect(verify(body, headers, key)).rejects.toBeInstanceOf(WebhookVerificationError)
  }
})

test('a malformed public key is not a WebhookVerificationError', async () => {
  const refusal = verify(BODY, sign(), 'whpk_AAAA')
  await expect(refusal).rejects.toThrow('The webhook public key is malformed')
  await expect(refusal).rejects.not.toBeInstanceOf(WebhookVerificationError)
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
  ['an old message', BODY, sign(BODY, { at: ago(310) })],
  ['a message from the future', BODY, sign(BODY, { at: ago(-310) })],
  ['a malformed time', BODY, { ...sign(), 'webhook-timestamp': 'now' }],
  ['no id', BODY, { ...sign(), 'webhook-id': '' }],
])('verifyWebhook rejects %s, as the standardwebhooks library does', async (_what, body, headers) => {
  await expect(verify(body, headers, SECRET)).rejects.toBeInstanceOf(WebhookVerificationError)
  expect(() => new Webhook(SECRET).verify(body, headers)).toThrow()
})

test('toleranceSeconds limits the age of a webhook', async () => {
  const old = { payload: BODY, headers: sign(BODY, { at: ago(1_000) }), secret: SECRET }
  expect((await verifyWebhook({ ...old, toleranceSeconds: 1_100 })).id).toBe(ID)
  const recent = { payload: BODY, headers: sign(BODY, { at: ago(20) }), secret: SECRET }
  await expect(verifyWebhook({ ...recent, toleranceSeconds: 10 })).rejects.toThrow('too old')
})

test('a malformed secret is not a WebhookVerificationError', async () => {
  const refusal = verify(BODY, sign(), 'whsec_%%%')
  await expect(refusal).rejects.toThrow('The webhook secret is malformed')
  await expect(refusal).rejects.not.toBeInstanceOf(WebhookVerificationError)
})
