import { BadSettings } from '@probity/settings/bad-settings'
import { Command } from 'commander'
import { accountCommands } from './commands/account.ts'
import { aliveCommand } from './commands/alive.ts'
import { auditCommand } from './commands/audit.ts'
import { backupCommand, restoreCommand } from './commands/backup.ts'
import { doctorCommand } from './commands/doctor.ts'
import { keyCommands } from './commands/key.ts'
import { migrateCommand } from './commands/migrate.ts'
import { operatorCommands } from './commands/operator.ts'
import { priceCommands } from './commands/price.ts'
import { repliesCommand } from './commands/replies.ts'
import { resetLinkCommand } from './commands/reset-link.ts'
import { schemaCommand } from './commands/schema.ts'
import { settingsCommand } from './commands/settings.ts'
import { setupLinkCommand } from './commands/setup-link.ts'
import { upCommand } from './commands/up.ts'
import { upgradeCommand } from './commands/upgrade.ts'
import { readConfig } from './config.ts'
import { Refusal } from './refusal.ts'

/** The operator commands. Results are JSON on standard output; messages go to standard error. */
try {
  const config = readConfig(process.env)
  const program = new Command('admin').description('Operator commands of Probity.')
  program.addCommand(migrateCommand(config))
  program.addCommand(accountCommands(config))
  program.addCommand(keyCommands(config))
  program.addCommand(operatorCommands(config))
  program.addCommand(priceCommands(config))
  program.addCommand(repliesCommand(config))
  program.addCommand(auditCommand(config))
  program.addCommand(doctorCommand(config))
  program.addCommand(aliveCommand(config))
  program.addCommand(backupCommand(config, process.env))
  program.addCommand(restoreCommand(config, process.env))
  program.addCommand(upgradeCommand(config, process.env))
  program.addCommand(setupLinkCommand(config))
  program.addCommand(resetLinkCommand(config))
  program.addCommand(settingsCommand(process.env))
  program.addCommand(schemaCommand())
  program.addCommand(upCommand(config, process.env))
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof Refusal || error instanceof BadSettings)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
