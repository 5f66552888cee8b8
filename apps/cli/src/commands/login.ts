import { mkdir, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Command } from 'commander'
import { isProblem } from '../is-problem.ts'
import { Refusal } from '../refusal.ts'
import { act, openClient, type Run, type Stage } from '../run.ts'
import { readKey, type UserFile } from '../settings.ts'
import { writeFileWhole } from '../write-file.ts'
import { addExamples } from './options.ts'

/** Far above the length of a key, and of what somebody may have put around it. */
const INPUT_MAX = 4_096

export function addLogin(program: Command, stage: Stage): void {
  const login = program
    .command('login')
    .description('Keep a key for later, in a file that only you can read. It is asked for, or comes by a pipe.')
    .option('--no-verify', 'keep it without asking the service whether it works')
    .action(act(stage, keepKey))
  addExamples(login, [
    ['probity login', 'Asks for the key and does not show it.'],
    ['probity login --base-url https://probity.example.com <key.txt', 'With the address of your own service.'],
  ])
  program
    .command('logout')
    .description('Remove the key that was kept.')
    .action(
      act(stage, async ({ settings, terminal }) => {
        await rm(settings.userFile, { force: true })
        terminal.say('No key is kept any more.')
      }),
    )
}

async function keepKey(run: Run, { verify }: { verify: boolean }): Promise<void> {
  const { settings, terminal } = run
  const key = readKey(await readInput(run), 'standard input')
  // Not all of the settings: what was kept before may be what is wrong.
  const { baseUrl: usedUrl, baseUrlFrom, userFile, stateFolder } = settings
  const renewed = { key, baseUrl: usedUrl, baseUrlFrom, userFile, stateFolder }
  const plan = verify ? await findPlan({ ...run, settings: renewed }) : undefined
  const kept: UserFile = { api_key: key.text, base_url: usedUrl }
  await mkdir(dirname(userFile), { recursive: true, mode: 0o700 })
  await writeFileWhole(userFile, lineOf(kept))
  terminal.say(`${key.hint} is kept in ${userFile}${plan === undefined ? '' : `; the plan is ${plan}`}.`)
}

async function* lineOf(kept: UserFile) {
  yield `${JSON.stringify(kept, null, 2)}\n`
}

async function readInput({ terminal, signal }: Run): Promise<string> {
  const { stdin: input, stderr: output } = terminal
  if (terminal.isInteractive) {
    const { isCancel, password } = await import('@clack/prompts')
    const answer = await password({ message: 'API key', input, output, signal })
    if (isCancel(answer)) throw new Refusal('interrupted', 'Interrupted. Nothing was kept.')
    return answer
  }
  let text = ''
  for await (const chunk of input.setEncoding('utf8')) {
    text += chunk
    if (text.length > INPUT_MAX) break
  }
  return text
}

/** Any answer but a refusal of the key shows that it works; one that may not see the account is a key all the same. */
async function findPlan(run: Run): Promise<string | undefined> {
  try {
    return (await (await openClient(run)).account.get({ signal: run.signal })).plan.name
  } catch (error) {
    if (isProblem(error, 'missing_scope') || isProblem(error, 'key_type_not_allowed')) return undefined
    throw error
  }
}
