import type { Command } from 'commander'
import { CliError } from '../cli-error.ts'
import { EXIT_CODES } from '../data/exit-codes.ts'
import type { View } from '../output/output.ts'
import { createAction, type Run, type Stage } from '../run.ts'
import type { Style } from '../terminal.ts'
import { addExamples } from './options.ts'

type ShownFinding = {
  check: string
  status: 'pass' | 'warn' | 'fail'
  detail: string
  exit_code: number | null
  next: string | null
}

const STYLES: Record<ShownFinding['status'], Style> = { pass: 'green', warn: 'yellow', fail: 'red' }

const FINDINGS_VIEW: View<ShownFinding> = {
  columns: [
    { head: 'status', cell: ({ status }) => status, style: ({ status }) => STYLES[status] },
    { head: 'check', cell: ({ check }) => check },
    { head: 'detail', cell: ({ detail }) => detail },
  ],
}

export function addDoctor(program: Command, stage: Stage, version: string): void {
  const command = program
    .command('doctor')
    .description(
      'Check version, key, proxy, service, TLS, clock and account. Exits with the code of the first failed check.',
    )
    .action(createAction(stage, (run) => checkAll(run, version)))
  addExamples(command, [['probity doctor --json', 'Print all checks for a support request.']])
}

async function checkAll(run: Run, version: string): Promise<void> {
  const { runChecks } = await import('../doctor-checks.ts')
  const findings = await runChecks(run, version)
  const shown = findings.map(({ check, status, detail, exit, next }) => {
    return { check, status, detail, exit_code: exit === undefined ? null : EXIT_CODES[exit].code, next: next ?? null }
  })
  await run.output.writeAll(shown, FINDINGS_VIEW)
  const failed = findings.find(({ status }) => status === 'fail')
  if (failed !== undefined) throw new CliError(failed.exit ?? 'other', `${failed.check}: ${failed.detail}`, failed.next)
}
