import { DOCTOR_GROUPS } from '@probity/contract/data/doctor-checks'
import type { DoctorFinding } from '@probity/contract/doctor'
import { Command } from 'commander'
import type { AdminConfig } from '../config.ts'
import { writeReport } from '../doctor/write-report.ts'
import { Refusal } from '../refusal.ts'

type Options = { json?: boolean; only?: string }

/** Looks at the installation from this host. With the settings of a worker it says what that worker would meet. */
export function doctorCommand(config: AdminConfig): Command {
  return new Command('doctor')
    .description('Look at everything that the service needs, and say what is wrong and how to put it right.')
    .option('--json', 'print all findings as JSON')
    .option('--only <group or check>', `look at this alone: ${DOCTOR_GROUPS.join(', ')}, or a check by its id`)
    .action(async ({ json = false, only }: Options) => {
      // It brings the engine, which no other command needs: those start in half the time without it.
      const { lookAround } = await import('../doctor/look-around.ts')
      const findings = await lookAround(config, only)
      if (findings === undefined) throw new Refusal(describeUnknown(only ?? ''))
      process.stdout.write(json ? `${JSON.stringify({ findings }, null, 2)}\n` : writeReport(findings, docsOf(config)))
      if (findings.some(isFailed)) process.exitCode = 1
    })
}

function describeUnknown(only: string): string {
  return `There is no group and no check "${only}". The groups: ${DOCTOR_GROUPS.join(', ')}; "pnpm admin doctor --json" names every check.`
}

function isFailed({ status }: DoctorFinding): boolean {
  return status === 'fail'
}

function docsOf({ publicUrl, port }: AdminConfig): string {
  return publicUrl ?? `http://127.0.0.1:${port}`
}
