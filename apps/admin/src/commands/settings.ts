import { showSettings } from '@probity/settings/show'
import { writeSettingsPage } from '@probity/settings/write-page'
import { Command } from 'commander'

/** What is set here and where it came from; the page of all settings, for the documentation. */
export function settingsCommand(env: Record<string, string | undefined>): Command {
  return new Command('settings')
    .description('Print every setting with its value and where it came from; secrets are not shown.')
    .option('--page', 'print docs/settings.md instead')
    .action((options: { page?: boolean }) => {
      if (options.page) process.stdout.write(writeSettingsPage())
      else for (const setting of showSettings(env)) process.stdout.write(`${JSON.stringify(setting)}\n`)
    })
}
