import { createHmac, createPrivateKey, type KeyObject, sign as signBytes } from 'node:crypto'
import { eventName, timestampOf } from '@probity/contract/constants/webhooks'

type Message = { eventId: string; body: string; signedAt: Date }

/** The HMAC secrets (`whsec_…`) and Ed25519 private keys (`whsk_…`) of an endpoint: the current ones, and after a rotation the previous ones. */
export type SigningKeys = { secrets: string[]; privateKeys: string[] }

/**
 * The signatures of Standard Webhooks over id, time and body: `v1` is HMAC-SHA256, `v1a` is Ed25519. The time is part of the content,
 * so that an intercepted request cannot be replayed later.
 */
export function sign({ eventId, body, signedAt }: Message, { secrets, privateKeys }: SigningKeys): string {
  const content = `${eventName(eventId)}.${timestampOf(signedAt)}.${body}`
  return [
    ...secrets.map((secret) => `v1,${hmac(secret, content)}`),
    ...privateKeys.map((key) => `v1a,${signBytes(null, Buffer.from(content), readPrivateKey(key)).toString('base64')}`),
  ].join(' ')
}

function hmac(secret: string, content: string): string {
  return createHmac('sha256', bytesOf(secret)).update(content).digest('base64')
}

/** PKCS #8 (RFC 8410, section 7) of an Ed25519 key up to its 32 bytes. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')

function readPrivateKey(text: string): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, bytesOf(text)]), format: 'der', type: 'pkcs8' })
}

/** Keys have a prefix that ends with an underscore, then base64. */
function bytesOf(key: string): Buffer {
  return Buffer.from(key.slice(key.indexOf('_') + 1), 'base64')
}
