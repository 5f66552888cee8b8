import { DOCTOR_GROUPS } from '@probity/contract/constants/data/doctor-checks'
import type { DoctorFinding } from '@probity/contract/schemas/operators'
import { Command } from 'commander'
import type { AdminConfig } from '../config.ts'
import { writeReport } from '../doctor/write-report.ts'

type Options = { json?: boolean; only?: string }

/** Checks the installation from this host. With a worker's settings it reports what that worker would find. */
export function doctorCommand(config: AdminConfig): Command {
  return new Command('doctor')
    .description('Check the installation and show how to fix problems.')
    .option('--json', 'print all findings as JSON')
    .option('--only <group or check>', `run one group (${DOCTOR_GROUPS.join(', ')}) or one check by id`)
    .action(async ({ json = false, only }: Options) => {
      // Loaded on demand: it imports the engine, which no other command needs.
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
