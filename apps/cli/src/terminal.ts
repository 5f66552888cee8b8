import { once } from 'node:events'
import { styleText } from 'node:util'
import { formatCount, formatShare, readable } from './output/format.ts'

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

/** `pace` follows the counts, `details` is a line of its own. */
export type ProgressStep = { done: number; total: number; pace?: string; details?: string }

type Progress = { show(step: ProgressStep): void; stop(): void }

/** Two lines that are redrawn in a terminal, else a line for every tenth. Nothing with --quiet. */
export async function openProgress(terminal: Terminal): Promise<Progress> {
  if (terminal.isQuiet) return { show() {}, stop() {} }
  return terminal.canRedraw ? openBar(terminal) : openLines(terminal)
}

const BAR_WIDTH = 24

async function openBar({ stderr }: Terminal): Promise<Progress> {
  const { default: bars } = await import('cli-progress')
  // The cursor stays visible and signals are handled by the command, so nothing must be restored.
  const options = { stream: stderr, hideCursor: null, gracefulExit: false, linewrap: true, fps: 5, forceRedraw: true }
  const screen = new bars.MultiBar({ ...options, format: (_options, _params, { line }) => line })
  const [upper, lower] = [screen.create(1, 0, { line: '' }), screen.create(1, 0, { line: '' })]
  return {
    show({ done, total, pace = '', details = '' }) {
      const filled = total === 0 ? 0 : Math.floor((done / total) * BAR_WIDTH)
      const bar = `${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}`
      upper.update(0, { line: clip(`[${bar}] ${formatProgress(done, total)}${pace}`, stderr) })
      lower.update(0, { line: clip(details, stderr) })
      screen.update()
    },
    stop: () => screen.stop(),
  }
}

/** A line that wraps could not be redrawn. */
function clip(line: string, { columns = 80 }: NodeJS.WriteStream): string {
  return line.length < columns ? line : `${line.slice(0, Math.max(0, columns - 2))}…`
}

function openLines(terminal: Terminal): Progress {
  let lastTenth = -1
  return {
    show({ done, total, pace = '', details = '' }) {
      const tenth = total === 0 ? 0 : Math.floor((done / total) * 10)
      if (tenth <= lastTenth) return
      lastTenth = tenth
      terminal.note(`${formatProgress(done, total)}${pace}${details === '' ? '' : `; ${details}`}`)
    },
    stop() {},
  }
}

function formatProgress(done: number, total: number): string {
  const share = total === 0 ? '' : ` (${formatShare(done / total)})`
  return `${formatCount(done)}/${formatCount(total)}${share}`
}
