import { createHmac, timingSafeEqual } from 'node:crypto'
import { CONFIRMATION_TTL_S } from '@probity/contract/constants/limits'
import type { Auth } from '../middleware/authentication/auth.ts'

/** The subject of a confirmation: one column of one upload. */
export type ConfirmedUpload = { uploadId: string; emailColumn: string }

type Owner = Pick<Auth, 'accountId' | 'mode'>

/**
 * A signed text that proves that an estimate was returned for this upload. Nothing is stored for it: the upload is stored already and becomes
 * one job, however often the same confirmation is sent.
 */
export function writeConfirmation(secret: string, owner: Owner, upload: ConfirmedUpload) {
  const expiresS = Math.floor(Date.now() / 1000) + CONFIRMATION_TTL_S
  const column = Buffer.from(upload.emailColumn).toString('base64url')
  const parts = [upload.uploadId, expiresS.toString(36), column]
  const text = [...parts, sign(secret, owner, parts).toString('base64url')].join('.')
  return { text, expiresAt: new Date(expiresS * 1000) }
}

const FORM = /^([0-9a-f-]{36})\.([0-9a-z]{1,9})\.([\w-]+)\.([\w-]{22})$/

/** Undefined if the signature is invalid, for another account or mode, or expired. */
export function readConfirmation(secret: string, owner: Owner, text: string): ConfirmedUpload | undefined {
  const [, uploadId = '', expires = '', column = '', signature = ''] = FORM.exec(text) ?? []
  if (signature === '') return undefined
  const expected = sign(secret, owner, [uploadId, expires, column])
  if (!timingSafeEqual(expected, Buffer.from(signature, 'base64url'))) return undefined
  if (Number.parseInt(expires, 36) * 1000 <= Date.now()) return undefined
  return { uploadId, emailColumn: Buffer.from(column, 'base64url').toString() }
}

const SIGNATURE_BYTES = 16

/** The prefix separates these signatures from those of sessions, which use the same secret. */
function sign(secret: string, { accountId, mode }: Owner, parts: string[]): Buffer {
  const content = JSON.stringify(['job estimate', accountId, mode, ...parts])
  return createHmac('sha256', secret).update(content).digest().subarray(0, SIGNATURE_BYTES)
}
