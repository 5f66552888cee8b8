import { once } from 'node:events'
import { styleText } from 'node:util'
import { readable } from './output/readable.ts'

export type Style = 'red' | 'green' | 'yellow' | 'gray' | 'bold'

/** What the command reads from and writes to. Results go to stdout, and all else to stderr. */
export type Terminal = {
  stdin: NodeJS.ReadStream
  stdout: NodeJS.WriteStream
  stderr: NodeJS.WriteStream
  /** Somebody is there who can be asked. */
  isInteractive: boolean
  /** What was written to stderr can be drawn over. */
  isLively: boolean
  isVerbose: boolean
  isQuiet: boolean
  /** Colours for stdout; those who get no colours get the text as it is. */
  paint(style: Style, text: string): string
  /** Resolves when there is room for more. */
  print(text: string | Uint8Array): Promise<void>
  /** A line for whoever looks on; not with --quiet. */
  say(line: string): void
}

export type Streams = Pick<Terminal, 'stdin' | 'stdout' | 'stderr'>
export type Looks = { color: boolean; quiet?: boolean; verbose?: boolean }
type Environment = Record<string, string | undefined>

export function openTerminal(streams: Streams, env: Environment, looks: Looks): Terminal {
  const { stdin, stdout, stderr } = streams
  const isDumb = env['TERM'] === 'dumb'
  const isColoured = looks.color && hasColours(env, stdout.isTTY && !isDumb)
  const isQuiet = looks.quiet === true
  return {
    ...streams,
    isInteractive: stdin.isTTY === true && stderr.isTTY === true && !isDumb,
    isLively: stderr.isTTY === true && !isDumb,
    isVerbose: looks.verbose === true,
    isQuiet,
    paint: (style, text) => (isColoured ? styleText(style, text, { validateStream: false }) : text),
    async print(text) {
      if (!stdout.write(text)) await once(stdout, 'drain')
    },
    say(line) {
      if (!isQuiet) stderr.write(`${readable(line)}\n`)
    },
  }
}

/** NO_COLOR (no-color.org) goes before FORCE_COLOR, and both before what the stream is. */
export function hasColours(env: Environment, isTerminal: boolean): boolean {
  if (env['NO_COLOR']) return false
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0'
  return isTerminal
}
