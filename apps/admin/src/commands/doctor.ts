import { DOCTOR_GROUPS } from '@probity/contract/data/doctor-checks'
import type { DoctorFinding } from '@probity/contract/doctor'
import { Command } from 'commander'
import type { AdminConfig } from '../config.ts'
import { writeReport } from '../doctor/write-report.ts'

type Options = { json?: boolean; only?: string }

/** Looks at the installation from this host. With the settings of a worker it says what that worker would meet. */
export function doctorCommand(config: AdminConfig): Command {
  return new Command('doctor')
    .description('Look at everything that the service needs, and say what is wrong and how to put it right.')
    .option('--json', 'print all findings as JSON')
    .option('--only <group or check>', `look at this alone: ${DOCTOR_GROUPS.join(', ')}, or a check by its id`)
    .action(async ({ json = false, only }: Options) => {
      // It brings the engine along, which no other command needs.
      const { lookAround } = await import('../doctor/look-around.ts')
      const findings = await lookAround(config, only)
      process.stdout.write(json ? `${JSON.stringify({ findings }, null, 2)}\n` : writeReport(findings, docsOf(config)))
      if (findings.some(isFailed)) process.exitCode = 1
    })
}

function isFailed({ status }: DoctorFinding): boolean {
  return status === 'fail'
}

function docsOf({ publicUrl, port }: AdminConfig): string {
  return publicUrl ?? `http://127.0.0.1:${port}`
}
