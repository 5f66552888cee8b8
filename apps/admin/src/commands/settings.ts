import { showSettings } from '@probity/settings/show'
import { writeSettingsPage } from '@probity/settings/write-page'
import { Command } from 'commander'

/** Current settings with their sources, or docs/settings.md. */
export function settingsCommand(env: Record<string, string | undefined>): Command {
  return new Command('settings')
    .description('Print every setting with its value and source. Secrets are not shown.')
    .option('--page', 'print docs/settings.md instead')
    .action((options: { page?: boolean }) => {
      if (options.page) process.stdout.write(writeSettingsPage())
      else for (const setting of showSettings(env)) process.stdout.write(`${JSON.stringify(setting)}\n`)
    })
}
