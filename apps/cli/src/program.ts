import { Command, Option } from 'commander'
import { addClean } from './commands/clean.ts'
import { addCompletion } from './commands/completion.ts'
import { addCredits } from './commands/credits.ts'
import { addDoctor } from './commands/doctor.ts'
import { addKeys } from './commands/keys.ts'
import { addList } from './commands/list.ts'
import { addLogin } from './commands/login.ts'
import { addExamples } from './commands/options.ts'
import { addRequests } from './commands/requests.ts'
import { addValidate } from './commands/validate.ts'
import { addWebhooks } from './commands/webhooks.ts'
import { EXIT_CODES } from './data/exit-codes.ts'
import { Refusal } from './refusal.ts'
import type { Stage } from './run.ts'

/** All commands. What is written wrong is thrown, and said by whoever runs the program. */
export function buildProgram(stage: Stage, version: string): Command {
  const program = new Command('probity')
    .description('Email validation from a terminal.')
    .version(version, '--version', 'show the version')
    .helpOption('-h, --help', 'show this help')
    .option('--base-url <url>', 'where the service is (PROBITY_BASE_URL)')
    .option('--no-color', 'no colours; NO_COLOR and TERM=dumb do the same')
    .option('--quiet', 'nothing but results and errors')
    .option('--verbose', 'show every request on standard error, without its content')
    .addOption(new Option('--api-key [key]').argParser(refuseKey).hideHelp())
    .exitOverride()
    .configureOutput({ outputError: () => {} })
  addValidate(program, stage)
  addClean(program, stage)
  addList(program, stage)
  addCredits(program, stage)
  addKeys(program, stage)
  addRequests(program, stage)
  addWebhooks(program, stage)
  addLogin(program, stage)
  addDoctor(program, stage, version)
  addCompletion(program, (text) => stage.streams.stdout.write(text))
  addExamples(program, [
    ['probity validate ada@example.com', 'Does mail to this address arrive?'],
    ['probity clean list.csv -o clean.csv', 'Asks what it may cost, then writes the rows worth sending to.'],
  ])
  return program.addHelpText('after', `\n${SETTINGS_HELP}\n${exitHelp()}`)
}

const SETTINGS_HELP = `Settings:
  PROBITY_API_KEY, or PROBITY_API_KEY_FILE with the path of a file, or probity login
  PROBITY_BASE_URL, or --base-url
`

function exitHelp(): string {
  const lines = Object.values(EXIT_CODES).map(({ code, meaning }) => `  ${String(code).padStart(3)}  ${meaning}\n`)
  return `Exit codes:\n${lines.join('')}`
}

/** Every user of the machine can see what other commands were started with. */
function refuseKey(): never {
  throw new Refusal(
    'usage',
    'A key does not belong on the command line, where others can see it: set PROBITY_API_KEY, or use probity login. Replace this one.',
  )
}
