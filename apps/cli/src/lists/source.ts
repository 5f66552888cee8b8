import { createHash } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { formatSize } from '../output/numbers.ts'
import { Refusal } from '../refusal.ts'
import type { Run } from '../run.ts'
import { codeOf } from '../settings.ts'

/** A file to send, and by what it is known again. */
export type Source = { blob: Blob; filename: string; hash: string }

/** A little more than the service takes, whose word is the one that counts. */
const SIZE_MAX = 64 * 1_024 * 1_024

/** Opens a file, or reads standard input to its end for `-`. */
export async function openSource(run: Run, path: string): Promise<Source> {
  run.terminal.say(`Reading ${path === '-' ? 'standard input' : path}.`)
  const blob = path === '-' ? await readPiped(run) : await openFile(path)
  if (blob.size > SIZE_MAX) throw tooLarge()
  return { blob, filename: path === '-' ? 'stdin.csv' : basename(path), hash: await hashOf(blob, run.signal) }
}

/** The blob stands for the file: it is read when it is sent, and not kept in memory. */
async function openFile(path: string): Promise<Blob> {
  try {
    if (!(await stat(path)).isFile()) throw new Refusal('input', `${path} is not a file.`)
    return await openAsBlob(path)
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Refusal('input', `${path} cannot be read (${codeOf(error) ?? 'unknown error'}).`)
  }
}

async function readPiped({ terminal, signal }: Run): Promise<Blob> {
  if (terminal.stdin.isTTY) throw new Refusal('usage', 'Standard input is a terminal: pipe a CSV into it.')
  const chunks: Buffer<ArrayBuffer>[] = []
  let size = 0
  // Whoever is to send something may keep us waiting, and Ctrl-C must end that too.
  signal.addEventListener('abort', () => terminal.stdin.destroy(signal.reason), { once: true })
  for await (const chunk of terminal.stdin) {
    size += chunk.length
    if (size > SIZE_MAX) throw tooLarge()
    chunks.push(Buffer.from(chunk))
  }
  signal.throwIfAborted()
  return new Blob(chunks)
}

async function hashOf(blob: Blob, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of blob.stream()) {
    signal.throwIfAborted()
    hash.update(chunk)
  }
  return hash.digest('hex')
}

function tooLarge(): Refusal {
  return new Refusal('input', `The file has more than ${formatSize(SIZE_MAX)}: split it into several.`)
}
