import type { Probity } from '@probity/sdk'
import { type ConsentFlags, obtainConsent, type Price } from '../consent.ts'
import { findBalance } from '../find-balance.ts'
import { isApiError, isProblem } from '../is-problem.ts'
import { Refusal } from '../refusal.ts'
import type { Run } from '../run.ts'
import { getKey } from '../settings.ts'
import { type Memory, openMemory, type Remembered, type Upload } from './memory.ts'
import { type Sent, sendFile } from './send-file.ts'
import type { Source } from './source.ts'

export type StartFlags = ConsentFlags & { column?: string; fresh?: boolean }

/** An upload may be gone, or another process be quicker with the same file: then it is looked at once more. */
const TRIES_MAX = 3

/** Makes a file a list, or finds the one that it became the last time. Nothing is paid for twice. */
export async function startList(run: Run, client: Probity, source: Source, flags: StartFlags): Promise<string> {
  const memory = memoryOf(run, source, flags)
  if (flags.fresh) await memory.forget()
  for (let tries = 1; tries <= TRIES_MAX; tries++) {
    const id = (await findStarted(run, client, memory)) ?? (await startAnew(run, client, { source, flags, memory }))
    if (id !== undefined) return id
  }
  throw new Refusal('later', 'Another process is at work on this file, or its upload goes away: try again.')
}

type Wish = { source: Source; flags: StartFlags; memory: Memory }

async function startAnew(run: Run, client: Probity, { source, flags, memory }: Wish): Promise<string | undefined> {
  const { upload, price } = await findOrSend(run, client, memory, () => sendFile(run, client, source, flags.column))
  if (upload.kind === 'started') return undefined
  if (upload.kind === 'uploaded') {
    await obtainConsent(run, price, flags)
    await keep(memory, { ...upload, kind: 'confirming' })
  }
  return confirm(client, memory, upload)
}

/** What a file would cost. It may be confirmed later without being sent again. */
export async function priceFile(run: Run, client: Probity, source: Source, flags: StartFlags): Promise<Sent> {
  const memory = memoryOf(run, source, flags)
  const sent = await findOrSend(run, client, memory, () => sendFile(run, client, source, flags.column))
  return sent.upload.kind === 'started' ? sendFile(run, client, source, flags.column) : { ...sent, upload: sent.upload }
}

function memoryOf({ settings }: Run, { hash }: Source, { column }: StartFlags): Memory {
  const { hint: keyHint } = getKey(settings)
  return openMemory(settings.stateFolder, { hash, column, keyHint, baseUrl: settings.baseUrl })
}

const ENDED_EARLY = new Set(['canceled', 'failed'])

/** The list that this file is. One that did not come to its end is forgotten: whoever asks again wants it whole. */
async function findStarted({ terminal, signal }: Run, client: Probity, memory: Memory): Promise<string | undefined> {
  const known = await memory.find()
  if (known?.kind !== 'started') return undefined
  try {
    const { id, status } = await client.jobs.get(known.jobId, { signal })
    if (!ENDED_EARLY.has(status)) {
      terminal.say(`This file is list ${id} already, which is ${status}: nothing is charged again.`)
      return id
    }
  } catch (error) {
    if (!isProblem(error, 'not_found')) throw error
  }
  await memory.forget()
  return undefined
}

type Found = { upload: Remembered; price: Price }

async function findOrSend(run: Run, client: Probity, memory: Memory, send: () => Promise<Sent>): Promise<Found> {
  const known = await memory.find()
  if (known !== undefined && known.kind !== 'started') {
    return { upload: known, price: await priceOf(run, client, known) }
  }
  const sent = await send()
  // Of two processes that sent the same file, both go on with what the first has sent.
  return isStorable(sent.upload) ? { ...sent, upload: await memory.claim(sent.upload) } : sent
}

async function priceOf(run: Run, client: Probity, { rows, unique, credits }: Upload): Promise<Price> {
  const balance = credits === 0 ? { available: undefined, unlimited: false } : await findBalance(run, client)
  return { rows, unique: unique ?? undefined, credits, isAtMost: unique === null, ...balance }
}

/**
 * Undefined where the upload is no longer there. Not ended by Ctrl-C: it is over in a moment, and then it is known under which id the
 * list goes on.
 */
async function confirm(client: Probity, memory: Memory, upload: Upload): Promise<string | undefined> {
  try {
    const { id } = await client.jobs.create(upload.uploadId, { emailColumn: upload.column })
    await memory.save({ kind: 'started', jobId: id })
    return id
  } catch (error) {
    if (isProblem(error, 'not_found')) {
      await memory.forget()
      return undefined
    }
    // A refusal is a word: nothing was spent, and it is to be agreed to anew.
    if (isApiError(error)) await keep(memory, { ...upload, kind: 'uploaded' })
    throw error
  }
}

/** A file without a header may be taken for one whose header is an address. */
function isStorable({ column }: Upload): boolean {
  return !column.includes('@')
}

async function keep(memory: Memory, upload: Upload): Promise<void> {
  if (isStorable(upload)) await memory.save(upload)
}
