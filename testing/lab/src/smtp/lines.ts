import type { Duplex } from 'node:stream'

/** The lines of a client. */
export type Lines = {
  /** The next line without its end; undefined when the client has disconnected or exceeded the line limit. */
  next(): Promise<string | undefined>
  /** Complete lines that were received but not read yet. */
  waiting(): number
  /** Stops reading permanently and leaves further bytes to another reader. */
  letGo(): void
}

/** RFC 5321 §4.5.3.1.4 allows 512 bytes; our clients never come near twice that. */
const LINE_LENGTH_MAX = 1_000

/** Uses events instead of iterating over the stream, which would throw whenever a client disconnects. */
export function readLines(stream: Duplex): Lines {
  const lines: string[] = []
  let rest = ''
  let isOver = false
  let wake = () => {}

  const end = () => {
    isOver = true
    wake()
  }
  const take = (bytes: Buffer) => {
    const parts = (rest + bytes.toString('utf8')).split('\r\n')
    rest = parts.pop() ?? ''
    lines.push(...parts)
    if (rest.length > LINE_LENGTH_MAX) end()
    else wake()
  }
  stream.on('data', take).on('end', end).on('close', end)

  return {
    async next() {
      while (lines.length === 0 && !isOver) await new Promise<void>((resolve) => (wake = resolve))
      return lines.shift()
    },
    waiting: () => lines.length,
    letGo() {
      stream.off('data', take).off('end', end).off('close', end).pause()
      end()
    },
  }
}

/** The address in the angle brackets of MAIL and RCPT. */
export function pathIn(line: string): string {
  return /<([^>]*)>/.exec(line)?.[1] ?? ''
}

export function verbOf(line: string): string {
  return /^[a-z]+/i.exec(line)?.[0].toUpperCase() ?? line.slice(0, 20)
}
