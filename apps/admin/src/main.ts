import { BadSettings } from '@probity/settings/parse'
import { showSettings, writeSettingsExample, writeSettingsPage } from '@probity/settings/settings-page'
import { Command } from 'commander'
import { accountCommands, keyCommands } from './commands/accounts.ts'
import { backupCommand, restoreCommand } from './commands/backup.ts'
import { priceCommands, reconciliationCommand } from './commands/billing.ts'
import { aliveCommand, doctorCommand, repliesCommand } from './commands/health.ts'
import { migrateCommand, upgradeCommand } from './commands/migrate.ts'
import { upCommand } from './commands/up.ts'
import { operatorCommands, resetLinkCommand, setupLinkCommand } from './commands/users.ts'
import { type Environment, readConfig } from './config.ts'
import { UserError } from './database.ts'

/** The operator commands. Results are JSON on standard output; messages go to standard error. */
try {
  const config = readConfig(process.env)
  const program = new Command('probity-admin').description('Operator commands of Probity.')
  program.addCommand(migrateCommand(config))
  program.addCommand(accountCommands(config))
  program.addCommand(keyCommands(config))
  program.addCommand(operatorCommands(config))
  program.addCommand(priceCommands(config))
  program.addCommand(repliesCommand(config))
  program.addCommand(reconciliationCommand(config))
  program.addCommand(doctorCommand(config))
  program.addCommand(aliveCommand(config))
  program.addCommand(backupCommand(config, process.env))
  program.addCommand(restoreCommand(config, process.env))
  program.addCommand(upgradeCommand(config, process.env))
  program.addCommand(setupLinkCommand(config))
  program.addCommand(resetLinkCommand(config))
  program.addCommand(settingsCommand(process.env))
  program.addCommand(upCommand(config, process.env))
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof UserError || error instanceof BadSettings)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}

/** Current settings with their sources, docs/settings.md, or .env.example. */
function settingsCommand(env: Environment): Command {
  return new Command('settings')
    .description('Print every setting with its value and source. Secrets are not shown.')
    .option('--page', 'print docs/settings.md instead')
    .option('--example', 'print .env.example instead')
    .action((options: { page?: boolean; example?: boolean }) => {
      if (options.page) process.stdout.write(writeSettingsPage())
      else if (options.example) process.stdout.write(writeSettingsExample())
      else for (const setting of showSettings(env)) process.stdout.write(`${JSON.stringify(setting)}\n`)
    })
}
