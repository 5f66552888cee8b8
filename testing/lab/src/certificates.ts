import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

export type Certificate = { key: string; cert: string }

type Wish = { name: string; from?: Date; until?: Date }

const HOUR_MS = 3_600_000

// ASN.1 tags (X.690) and DER-encoded object identifiers.
const SEQUENCE = 0x30
const SET = 0x31
const INTEGER = 0x02
const BIT_STRING = 0x03
const UTF8_STRING = 0x0c
const UTC_TIME = 0x17
const ECDSA_WITH_SHA256 = Buffer.from('06082a8648ce3d040302', 'hex')
const COMMON_NAME = Buffer.from('0603550403', 'hex')

/**
 * Creates a self-signed certificate. Node can read certificates but cannot create them, and this needs no installed
 * program.
 */
export function makeCertificate(wish: Wish): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: writeCertificate(wish, publicKey, privateKey),
  }
}

/** A certificate with ten issuers, each with names of 50,000 characters: 1 MB in total. */
export function makeEndlessChain(name: string): Certificate {
  const { key, cert } = makeCertificate({ name })
  const issuer = makeCertificate({ name: 'x'.repeat(50_000) }).cert
  return { key, cert: cert + issuer.repeat(10) }
}

/** X.509 version 1 (RFC 5280 §4.1), which has no extensions. */
function writeCertificate({ name, from, until }: Wish, publicKey: KeyObject, privateKey: KeyObject): string {
  const now = Date.now()
  const algorithm = write(SEQUENCE, ECDSA_WITH_SHA256)
  const who = write(SEQUENCE, write(SET, write(SEQUENCE, COMMON_NAME, write(UTF8_STRING, Buffer.from(name)))))
  const toSign = write(
    SEQUENCE,
    write(INTEGER, Buffer.from([1])),
    algorithm,
    who,
    write(SEQUENCE, writeTime(from ?? new Date(now - HOUR_MS)), writeTime(until ?? new Date(now + 24 * HOUR_MS))),
    who,
    publicKey.export({ type: 'spki', format: 'der' }),
  )
  const signature = sign('sha256', toSign, privateKey)
  const der = write(SEQUENCE, toSign, algorithm, write(BIT_STRING, Buffer.from([0]), signature))
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

function write(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag]), writeLength(body.length), body])
}

function writeLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length])
  const digits = length.toString(16)
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex')
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes])
}

/** UTCTime in the form YYMMDDHHMMSSZ. */
function writeTime(time: Date): Buffer {
  const digits = time.toISOString().replaceAll(/\D/g, '').slice(2, 14)
  return write(UTC_TIME, Buffer.from(`${digits}Z`))
}
