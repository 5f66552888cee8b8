import type { Command } from 'commander'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** What can follow a command that has been typed so far, as in `list create`. */
type Place = { path: string; words: Word[] }
type Word = { text: string; meaning: string }

/** A script for a shell. All of it is known beforehand, so that completing starts no process of ours. */
export function writeCompletion(program: Command, shell: Shell): string {
  const places = listPlaces(program, [])
  if (shell === 'fish') return writeFish(places)
  return shell === 'bash' ? writeBash(places) : writeZsh(places)
}

function listPlaces(command: Command, path: string[]): Place[] {
  const commands = command.commands.map((one) => ({ text: one.name(), meaning: one.description() }))
  const flags = flagsOf(command)
  const below = command.commands.flatMap((one) => listPlaces(one, [...path, one.name()]))
  return [{ path: path.join(' '), words: [...commands, ...flags] }, ...below]
}

/** Its own, and those that every command takes. */
function flagsOf(command: Command): Word[] {
  const chain = [command, ...(command.parent === null ? [] : [topOf(command)])]
  const options = chain.flatMap((one) => one.options).filter(({ hidden }) => !hidden)
  const help = { text: '--help', meaning: 'show the help' }
  return [...options.map(({ long, description }) => ({ text: long ?? '', meaning: description })), help]
}

function topOf(command: Command): Command {
  let top = command
  for (let depth = 0; top.parent !== null && depth < 5; depth++) top = top.parent
  return top
}

type Loop = { first: number; last: string; word: string }

/**
 * Goes along the words as far as they are commands; flags and whatever else stands between do not matter. `path` would be the search
 * path of zsh.
 */
function walk(places: Place[], { first, last, word }: Loop): string {
  const paths = places.flatMap(({ path }) => (path === '' ? [] : [JSON.stringify(path)])).join(' | ')
  return `  local at="" next n
  for ((n = ${first}; n < ${last}; n++)); do
    next="\${at:+$at }${word}"
    case "$next" in
      ${paths}) at=$next ;;
    esac
  done`
}

const wordsOf = ({ words }: Place) => words.map(({ text }) => text).join(' ')

function writeBash(places: Place[]): string {
  const cases = places.map((place) => `    ${JSON.stringify(place.path)}) words=${quote(wordsOf(place))} ;;`)
  return `# Completion of probity for bash: source <(probity completion bash)
_probity() {
${walk(places, { first: 1, last: 'COMP_CWORD', word: `\${COMP_WORDS[n]}` })}
  local words=""
  case "$at" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
# Where nothing of ours fits, it is a file.
complete -o default -F _probity probity
`
}

function writeZsh(places: Place[]): string {
  const cases = places.map(
    ({ path, words }) =>
      `    ${JSON.stringify(path)}) choices=(${words.map(({ text, meaning }) => quote(`${text}:${meaning}`)).join(' ')}) ;;`,
  )
  return `#compdef probity
# Completion of probity for zsh: source <(probity completion zsh)
_probity() {
${walk(places, { first: 2, last: 'CURRENT', word: `\${words[n]}` })}
  local -a choices
  case "$at" in
${cases.join('\n')}
  esac
  _describe probity choices || _files
}
compdef _probity probity
`
}

function writeFish(places: Place[]): string {
  const lines = places.flatMap(({ path, words }) =>
    words.map(({ text, meaning }) => {
      const word = text.startsWith('--') ? `-l ${text.slice(2)}` : `-f -a ${text}`
      return `complete -c probity -n ${quote(`__probity_at ${JSON.stringify(path)}`)} ${word} -d ${quote(meaning)}`
    }),
  )
  const paths = places.flatMap(({ path }) => (path === '' ? [] : [JSON.stringify(path)])).join(' ')
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
