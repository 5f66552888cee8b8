import type { Command } from 'commander'
import { EXIT_CODES } from '../data/exit-codes.ts'
import type { Finding } from '../doctor/finding.ts'
import { formatTable } from '../output/table.ts'
import { Refusal } from '../refusal.ts'
import { act, type Run, type Stage } from '../run.ts'
import type { Style } from '../terminal.ts'
import { addExamples, outputOption } from './options.ts'

const FORMATS = ['table', 'json'] as const

const STYLES: Record<string, Style> = { fine: 'green', note: 'yellow', wrong: 'red' }

export function addDoctor(program: Command, stage: Stage, version: string): void {
  const command = program
    .command('doctor')
    .description('Look for what keeps this command from working: version, key, service, TLS, clock, proxy, account.')
    .addOption(outputOption(FORMATS, 'table'))
  command.action(act(stage, (run, flags: { output: string }) => show(run, flags, version)))
  addExamples(command, [['probity doctor', 'Is all in order on this side?']])
}

async function show(run: Run, { output }: { output: string }, version: string): Promise<void> {
  const { terminal } = run
  const { examine } = await import('../doctor/examine.ts')
  const findings = await examine(run, version)
  if (output === 'json') await terminal.print(`${JSON.stringify(findings.map(presentFinding), null, 2)}\n`)
  else {
    const rows = findings.map(({ what, state, detail }) => [state, what, detail])
    const paint = (text: string, column: number) => (column === 0 ? terminal.paint(STYLES[text] ?? 'bold', text) : text)
    await terminal.print(formatTable(['', 'what', 'found'], rows, paint))
  }
  const wrong = findings.find(({ state }) => state === 'wrong')
  if (wrong !== undefined) throw new Refusal(wrong.exit ?? 'other', `${wrong.what}: ${wrong.detail}`, wrong.next)
}

function presentFinding({ what, state, detail, exit, next }: Finding) {
  return { what, state, detail, ...(exit && { exit_code: EXIT_CODES[exit].code }), ...(next && { next }) }
}
