import type { Terminal } from '../terminal.ts'
import { formatCount, formatShare } from './numbers.ts'

/** How far something is, for those who look on. `more` is what else there is to say, in one line. */
export type Step = { done: number; total: number; pace?: string; more?: string }

export type Progress = { show(step: Step): void; stop(): void }

/** Two lines that are drawn over where that can be seen, else a line for every tenth. Nothing with --quiet. */
export async function openProgress(terminal: Terminal): Promise<Progress> {
  if (terminal.isQuiet) return { show() {}, stop() {} }
  return terminal.isLively ? openBar(terminal) : openLines(terminal)
}

const BAR_WIDTH = 24

async function openBar({ stderr }: Terminal): Promise<Progress> {
  const { default: bars } = await import('cli-progress')
  // The process ends by its own rules when it is interrupted, and the cursor is left alone, so that nothing is to be put back.
  const options = { stream: stderr, hideCursor: null, gracefulExit: false, linewrap: true, fps: 5, forceRedraw: true }
  const screen = new bars.MultiBar({ ...options, format: (_options, _params, { line }) => line })
  const [upper, lower] = [screen.create(1, 0, { line: '' }), screen.create(1, 0, { line: '' })]
  return {
    show({ done, total, pace = '', more = '' }) {
      const filled = total === 0 ? 0 : Math.floor((done / total) * BAR_WIDTH)
      const bar = `${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}`
      upper.update(0, { line: clip(`[${bar}] ${countsOf(done, total)}${pace}`, stderr) })
      lower.update(0, { line: clip(more, stderr) })
      screen.update()
    },
    stop: () => screen.stop(),
  }
}

/** A line that wraps could not be drawn over. */
function clip(line: string, { columns = 80 }: NodeJS.WriteStream): string {
  return line.length < columns ? line : `${line.slice(0, Math.max(0, columns - 2))}…`
}

function openLines(terminal: Terminal): Progress {
  let tenth = -1
  return {
    show({ done, total, pace = '', more = '' }) {
      const now = total === 0 ? 0 : Math.floor((done / total) * 10)
      if (now <= tenth) return
      tenth = now
      terminal.say(`${countsOf(done, total)}${pace}${more === '' ? '' : `; ${more}`}`)
    },
    stop() {},
  }
}

function countsOf(done: number, total: number): string {
  const share = total === 0 ? '' : ` (${formatShare(done / total)})`
  return `${formatCount(done)}/${formatCount(total)}${share}`
}
