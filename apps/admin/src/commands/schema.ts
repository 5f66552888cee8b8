import { isBaselineCurrent, isBaselineReleased, writeBaseline } from '@probity/database/system/schema-files'
import { Command } from 'commander'
import { Refusal } from '../refusal.ts'

/** For developers: it works on the repository, not on a database. */
export function schemaCommand(): Command {
  return new Command('schema')
    .description('Compare the baseline migration with the schema files.')
    .option('--write', 'write the baseline migration from the schema files')
    .action(async ({ write = false }: { write?: boolean }) => {
      const wasCurrent = await isBaselineCurrent()
      if (!wasCurrent && !write)
        throw new Refusal('The baseline differs from packages/database/schema. Run "pnpm admin schema --write".')
      if (!wasCurrent && isBaselineReleased()) {
        throw new Refusal('The baseline is released. Add a migration for the change of the schema files.')
      }
      if (!wasCurrent) await writeBaseline()
      process.stdout.write(`${JSON.stringify({ written: !wasCurrent })}\n`)
    })
}
