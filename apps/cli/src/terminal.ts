import { once } from 'node:events'
import { styleText } from 'node:util'
import { readable } from './output/readable.ts'

export type Style = 'red' | 'green' | 'yellow' | 'gray' | 'bold'

/** The streams of the process. Results are written to stdout, everything else to stderr. */
export type Terminal = {
  stdin: NodeJS.ReadStream
  stdout: NodeJS.WriteStream
  stderr: NodeJS.WriteStream
  /** Whether a user can answer questions. */
  isInteractive: boolean
  /** Whether lines of stderr can be redrawn. */
  canRedraw: boolean
  isVerbose: boolean
  isQuiet: boolean
  /** Colors text for stdout, or returns it unchanged without colors. */
  paint(style: Style, text: string): string
  /** Writes to stdout. Resolves when there is room for more. */
  print(text: string | Uint8Array): Promise<void>
  /** Writes a line to stderr, except with --quiet. */
  note(line: string): void
}

export type Streams = Pick<Terminal, 'stdin' | 'stdout' | 'stderr'>
export type TerminalFlags = { color: boolean; quiet?: boolean; verbose?: boolean }
type Environment = Record<string, string | undefined>

export function openTerminal(streams: Streams, env: Environment, flags: TerminalFlags): Terminal {
  const { stdin, stdout, stderr } = streams
  const isDumb = env['TERM'] === 'dumb'
  const isColored = flags.color && hasColors(env, stdout.isTTY && !isDumb)
  const isQuiet = flags.quiet === true
  return {
    ...streams,
    isInteractive: stdin.isTTY === true && stderr.isTTY === true && !isDumb,
    canRedraw: stderr.isTTY === true && !isDumb,
    isVerbose: flags.verbose === true,
    isQuiet,
    paint: (style, text) => (isColored ? styleText(style, text, { validateStream: false }) : text),
    async print(text) {
      if (!stdout.write(text)) await once(stdout, 'drain')
    },
    note(line) {
      if (!isQuiet) stderr.write(`${readable(line)}\n`)
    },
  }
}

/** NO_COLOR (no-color.org) takes precedence over FORCE_COLOR, and both over the kind of the stream. */
export function hasColors(env: Environment, isTerminal: boolean): boolean {
  if (env['NO_COLOR']) return false
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0'
  return isTerminal
}
