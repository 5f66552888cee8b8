import { createHmac, timingSafeEqual } from 'node:crypto'
import { CONFIRMATION_LASTS_S } from '@probity/contract/agent-tools'
import type { Caller } from '../door/caller.ts'

/** What somebody agrees to: this column of this file, by this account, until then. */
export type Agreed = { uploadId: string; emailColumn: string }

type Party = Pick<Caller, 'accountId' | 'mode'>

/**
 * A text that only we can have written, and only for an estimate. Nothing is stored for it: the upload holds what it is about and becomes
 * one job, however often the text comes back.
 */
export function writeConfirmation(secret: string, party: Party, agreed: Agreed): { text: string; until: Date } {
  const untilS = Math.floor(Date.now() / 1000) + CONFIRMATION_LASTS_S
  const column = Buffer.from(agreed.emailColumn).toString('base64url')
  const parts = [agreed.uploadId, untilS.toString(36), column]
  const text = [...parts, sign(secret, party, parts).toString('base64url')].join('.')
  return { text, until: new Date(untilS * 1000) }
}

const FORM = /^([0-9a-f-]{36})\.([0-9a-z]{1,9})\.([\w-]+)\.([\w-]{22})$/

/** What was agreed to; undefined where the text is not ours, is another account's, or is too old. */
export function readConfirmation(secret: string, party: Party, text: string): Agreed | undefined {
  const [, uploadId = '', until = '', column = '', signature = ''] = FORM.exec(text) ?? []
  if (signature === '') return undefined
  const expected = sign(secret, party, [uploadId, until, column])
  if (!timingSafeEqual(expected, Buffer.from(signature, 'base64url'))) return undefined
  if (Number.parseInt(until, 36) * 1000 <= Date.now()) return undefined
  return { uploadId, emailColumn: Buffer.from(column, 'base64url').toString() }
}

const SIGNATURE_BYTES = 16

/** The first words keep these signatures apart from those of sessions, which are made with the same secret. */
function sign(secret: string, { accountId, mode }: Party, parts: string[]): Buffer {
  const said = JSON.stringify(['cost of a list', accountId, mode, ...parts])
  return createHmac('sha256', secret).update(said).digest().subarray(0, SIGNATURE_BYTES)
}
