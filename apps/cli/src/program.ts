import { Command, Option } from 'commander'
import { CliError } from './cli-error.ts'
import { addErase, addUsage } from './commands/account.ts'
import { addApi } from './commands/api.ts'
import { addClean } from './commands/clean.ts'
import { addCompletion } from './commands/completion.ts'
import { addConfig, addLogin } from './commands/config.ts'
import { addDoctor } from './commands/doctor.ts'
import { addJobs } from './commands/jobs.ts'
import { addKeys } from './commands/keys.ts'
import { addListen } from './commands/listen.ts'
import { addExamples, addOutputOptions } from './commands/options.ts'
import { addRequests } from './commands/requests.ts'
import { addValidate } from './commands/validate.ts'
import { addWebhooks } from './commands/webhooks.ts'
import { EXIT_CODES } from './data/exit-codes.ts'
import type { Stage } from './run.ts'

/** All commands. Errors are thrown; `main.ts` prints them and sets the exit code. */
export function buildProgram(stage: Stage, version: string): Command {
  const program = new Command('probity')
    .description('Email validation on the command line.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true })
    .option('--profile <name>', 'profile to use (PROBITY_PROFILE); see probity config')
    .option('--base-url <url>', 'URL of the service (PROBITY_BASE_URL)')
    .option('--no-color', 'no colors, as with NO_COLOR')
    .option('--quiet', 'print results and errors only')
    .option('--verbose', 'log every request to standard error, without its content')
    .addOption(new Option('--api-key [key]').argParser(rejectKey).hideHelp())
    .exitOverride()
    .configureOutput({ outputError: () => {} })
  addValidate(program, stage)
  addClean(program, stage)
  addJobs(program, stage)
  addKeys(program, stage)
  addWebhooks(program, stage)
  addListen(program, stage)
  addRequests(program, stage)
  addUsage(program, stage)
  addErase(program, stage)
  addApi(program, stage)
  addLogin(program, stage)
  addConfig(program, stage)
  addDoctor(program, stage, version)
  addCompletion(program, stage)
  for (const group of program.commands) group.helpCommand(false)
  for (const command of listCommands(program)) addOutputOptions(command)
  addExamples(program, [
    ['probity validate ada@example.com', 'Validate one address.'],
    ['probity clean list.csv -o clean.csv', 'Validate a list and keep the rows that are safe to send to.'],
    ['probity jobs list --json', 'List jobs as JSON.'],
  ])
  return program.addHelpText('after', `${SETTINGS_HELP}\n${formatExitCodes()}`)
}

/** All commands with an action, below groups such as `jobs`. */
export function listCommands(command: Command): Command[] {
  return command.commands.flatMap((one) => (one.commands.length === 0 ? [one] : listCommands(one)))
}

const SETTINGS_HELP = `Settings:
  API key   PROBITY_API_KEY, the file of PROBITY_API_KEY_FILE, or probity login
  Base URL  --base-url, PROBITY_BASE_URL, or probity config set base_url
  Profile   --profile, PROBITY_PROFILE, or probity config use
`

function formatExitCodes(): string {
  const lines = Object.values(EXIT_CODES).map(({ code, meaning }) => `  ${String(code).padStart(3)}  ${meaning}\n`)
  return `Exit codes:\n${lines.join('')}`
}

/** Other users of the machine can read the arguments of a process. */
function rejectKey(): never {
  const advice = 'Set PROBITY_API_KEY or run probity login, and rotate this key.'
  throw new CliError(
    'usage',
    `Other users can read the arguments of a command, so keys are not accepted there. ${advice}`,
  )
}
