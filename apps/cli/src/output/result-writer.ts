import type { Style, Terminal } from '../terminal.ts'
import { formatClock } from './numbers.ts'
import { formatTable } from './table.ts'

export const RESULT_FORMATS = ['table', 'json', 'jsonl', 'csv'] as const
export type ResultFormat = (typeof RESULT_FORMATS)[number]

/** What every result has, whichever way it was asked for. */
export type ShownResult = {
  email: string
  status: string
  sub_status: string
  confidence: number
  is_valid: boolean
  depth: string
  did_you_mean?: string | null
  retry_at?: string | null
  /** Where a policy was named. */
  policy?: { decision: string; reason: string }
}

export type ResultWriter = { write(result: ShownResult): Promise<void>; end(): Promise<void> }

type Wish = { output: ResultFormat; policy?: string }

/** Writes results as they come; a table when all are there, since only then its columns are as wide as they must be. */
export async function openResultWriter(terminal: Terminal, wish: Wish, total: number): Promise<ResultWriter> {
  const { output: format, policy } = wish
  const isDecided = policy !== undefined
  if (format === 'table') return openTable(terminal, isDecided)
  if (format === 'csv') return openSheet(terminal, isDecided)
  const indent = format === 'json' && total === 1 ? 2 : 0
  return {
    write: (result) => terminal.print(`${JSON.stringify(result, null, indent)}\n`),
    async end() {},
  }
}

const COLUMNS = ['email', 'status', 'sub_status', 'confidence', 'is_valid'] as const

async function openSheet(terminal: Terminal, isDecided: boolean): Promise<ResultWriter> {
  const { stringify } = await import('csv-stringify/sync')
  // A spreadsheet would take some texts for formulas; the service marks those in its own exports too.
  const line = (cells: readonly string[]) => stringify([[...cells]], { escape_formulas: true })
  const decisionOf = ({ policy }: ShownResult) => (isDecided ? [policy?.decision ?? '', policy?.reason ?? ''] : [])
  await terminal.print(line([...COLUMNS, ...(isDecided ? ['decision', 'reason'] : []), 'depth']))
  return {
    write: (result) =>
      terminal.print(line([...COLUMNS.map((name) => String(result[name])), ...decisionOf(result), result.depth])),
    async end() {},
  }
}

const STATUS_STYLES: Record<string, Style> = { valid: 'green', invalid: 'red', risky: 'yellow', unknown: 'gray' }

export function paintStatus(terminal: Terminal, text: string): string {
  const style = STATUS_STYLES[text]
  return style === undefined ? text : terminal.paint(style, text)
}

async function openTable(terminal: Terminal, isDecided: boolean): Promise<ResultWriter> {
  const { SUB_STATUSES } = await import('@probity/contract/status')
  const rows: string[][] = []
  return {
    async write(result) {
      const { email, status, sub_status, confidence } = result
      const decision = isDecided ? [result.policy?.decision ?? ''] : []
      const remark = isDecided ? (result.policy?.reason ?? '') : remarkOn(result, SUB_STATUSES)
      rows.push([email, status, sub_status, confidence.toFixed(2), ...decision, remark])
    },
    async end() {
      if (rows.length === 0) return
      const head = [
        'address',
        'status',
        'reason',
        'confidence',
        ...(isDecided ? ['decision', 'why'] : ['what it means']),
      ]
      const paint = (text: string, column: number) => (column === 1 ? paintStatus(terminal, text) : text)
      await terminal.print(formatTable(head, rows, paint))
    },
  }
}

/** The list of reasons is open: one that was added later has no words here. */
type Meanings = Partial<Record<string, { meaning: string }>>

function remarkOn({ sub_status, did_you_mean, retry_at }: ShownResult, meanings: Meanings): string {
  if (did_you_mean) return `did you mean ${did_you_mean}?`
  const meaning = sub_status === '' ? '' : (meanings[sub_status]?.meaning ?? '')
  return retry_at ? `${meaning} Retry after ${formatClock(new Date(retry_at))}.` : meaning
}
