import type { Terminal } from '../terminal.ts'
import { formatCount, formatShare } from './numbers.ts'

/** `pace` follows the counts, `details` is a line of its own. */
export type ProgressStep = { done: number; total: number; pace?: string; details?: string }

export type Progress = { show(step: ProgressStep): void; stop(): void }

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
