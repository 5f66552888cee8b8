import { createHash } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { CliError, systemCodeOf } from '../cli-error.ts'
import { formatSize } from '../output/numbers.ts'
import type { Run } from '../run.ts'

/** A file to upload, and the hash that identifies it. */
export type Source = { blob: Blob; filename: string; hash: string }

/** Above the limit of the service, which rejects smaller files itself. */
const SIZE_MAX_BYTES = 64 * 1_024 * 1_024

/** Opens a file, or reads standard input for `-`. */
export async function openSource(run: Run, path: string): Promise<Source> {
  run.terminal.note(`Reading ${path === '-' ? 'standard input' : path}.`)
  const blob = path === '-' ? await readStdin(run) : await openFile(path)
  if (blob.size > SIZE_MAX_BYTES) throw tooLarge()
  return { blob, filename: path === '-' ? 'stdin.csv' : basename(path), hash: await hashOf(blob, run.signal) }
}

/** The blob refers to the file: it is streamed and not held in memory. */
async function openFile(path: string): Promise<Blob> {
  try {
    if (!(await stat(path)).isFile()) throw new CliError('input', `${path} is not a file.`)
    return await openAsBlob(path)
  } catch (error) {
    if (error instanceof CliError) throw error
    throw new CliError('input', `Cannot read ${path} (${systemCodeOf(error) ?? 'unknown error'}).`)
  }
}

async function readStdin({ terminal, signal }: Run): Promise<Blob> {
  if (terminal.stdin.isTTY) throw new CliError('usage', 'Standard input is a terminal. Pipe a CSV file into it.')
  const chunks: Buffer<ArrayBuffer>[] = []
  let size = 0
  // Ctrl-C must also end a read that waits for input.
  signal.addEventListener('abort', () => terminal.stdin.destroy(signal.reason), { once: true })
  for await (const chunk of terminal.stdin) {
    size += chunk.length
    if (size > SIZE_MAX_BYTES) throw tooLarge()
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

function tooLarge(): CliError {
  return new CliError('input', `The file is larger than ${formatSize(SIZE_MAX_BYTES)}. Split it.`)
}
