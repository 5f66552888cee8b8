import { Argument, type Command } from 'commander'
import { createAction, type Run, type Stage } from '../run.ts'
import { addExamples } from './options.ts'

export function addCompletion(program: Command, stage: Stage): void {
  const command = program
    .command('completion')
    .description('Print a script that completes commands and flags in a shell.')
    .addArgument(new Argument('<shell>', 'shell').choices(SHELLS))
  command.action(
    createAction(stage, async ({ output }: Run, _flags, shell: Shell) =>
      output.writeOne({ shell, script: writeCompletion(program, shell) }, ({ script }) => script),
    ),
  )
  addExamples(command, [
    ['source <(probity completion bash)', 'In ~/.bashrc.'],
    ['source <(probity completion zsh)', 'In ~/.zshrc, after compinit.'],
    ['probity completion fish | source', 'In ~/.config/fish/config.fish.'],
  ])
}

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

/** The words that can follow a command such as `jobs create`. */
type Completions = { path: string; words: Word[] }
type Word = { text: string; description: string }

/** A static script: completion does not start `probity`. */
function writeCompletion(program: Command, shell: Shell): string {
  const all = listCompletions(program, [])
  if (shell === 'fish') return writeFish(all)
  return shell === 'bash' ? writeBash(all) : writeZsh(all)
}

function listCompletions(command: Command, path: string[]): Completions[] {
  const commands = command.commands.map((one) => ({ text: one.name(), description: one.description() }))
  const flags = flagsOf(command)
  const below = command.commands.flatMap((one) => listCompletions(one, [...path, one.name()]))
  return [{ path: path.join(' '), words: [...commands, ...flags] }, ...below]
}

/** The flags of the command and the global ones. */
function flagsOf(command: Command): Word[] {
  const chain = [command, ...(command.parent === null ? [] : [rootOf(command)])]
  const options = chain.flatMap((one) => one.options).filter(({ hidden }) => !hidden)
  const help = { text: '--help', description: 'print the help' }
  return [...options.map(({ long, description }) => ({ text: long ?? '', description: description })), help]
}

function rootOf(command: Command): Command {
  let root = command
  for (let depth = 0; root.parent !== null && depth < 5; depth++) root = root.parent
  return root
}

type Loop = { first: number; last: string; word: string }

/** Finds the command in the words typed so far, and skips flags and arguments. A variable named `path` would replace PATH in zsh. */
function walk(all: Completions[], { first, last, word }: Loop): string {
  const paths = all.flatMap(({ path }) => (path === '' ? [] : [JSON.stringify(path)])).join(' | ')
  return `  local at="" next n
  for ((n = ${first}; n < ${last}; n++)); do
    next="\${at:+$at }${word}"
    case "$next" in
      ${paths}) at=$next ;;
    esac
  done`
}

const wordsOf = ({ words }: Completions) => words.map(({ text }) => text).join(' ')

function writeBash(all: Completions[]): string {
  const cases = all.map((place) => `    ${JSON.stringify(place.path)}) words=${quote(wordsOf(place))} ;;`)
  return `# Completion of probity for bash: source <(probity completion bash)
_probity() {
${walk(all, { first: 1, last: 'COMP_CWORD', word: `\${COMP_WORDS[n]}` })}
  local words=""
  case "$at" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
# Completes file names if no word matches.
complete -o default -F _probity probity
`
}

function writeZsh(all: Completions[]): string {
  const cases = all.map(
    ({ path, words }) =>
      `    ${JSON.stringify(path)}) choices=(${words.map(({ text, description }) => quote(`${text}:${description}`)).join(' ')}) ;;`,
  )
  return `#compdef probity
# Completion of probity for zsh: source <(probity completion zsh)
_probity() {
${walk(all, { first: 2, last: 'CURRENT', word: `\${words[n]}` })}
  local -a choices
  case "$at" in
${cases.join('\n')}
  esac
  _describe probity choices || _files
}
compdef _probity probity
`
}

function writeFish(all: Completions[]): string {
  const lines = all.flatMap(({ path, words }) =>
    words.map(({ text, description }) => {
      const word = text.startsWith('--') ? `-l ${text.slice(2)}` : `-f -a ${text}`
      return `complete -c probity -n ${quote(`__probity_at ${JSON.stringify(path)}`)} ${word} -d ${quote(description)}`
    }),
  )
  const paths = all.flatMap(({ path }) => (path === '' ? [] : [JSON.stringify(path)])).join(' ')
  return `# Completion of probity for fish: probity completion fish | source
function __probity_at
  set -l path ""
  for word in (commandline -opc)[2..-1]
    set -l next (string trim -- "$path $word")
    contains -- $next ${paths}; and set path $next
  end
  test "$path" = "$argv[1]"
end
${lines.join('\n')}
`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
