import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { distance } from 'fastest-levenshtein'
import type { SettingFault } from './bad-settings.ts'
import { fileNameOf, isKnown, listKnown, SECRET_NAMES, SETTINGS_FILE } from './every-setting.ts'

export type Environment = Record<string, string | undefined>

/** What was set, by the environment and by the file that it may name, and what cannot be right about it. */
export type Gathered = {
  values: Record<string, string>
  faults: SettingFault[]
  /** The file and line that a setting stands in; undefined where the environment has it. */
  whereIs(name: string): string | undefined
}

/** Two letters wrong in a short name make another one. */
const NAME_LENGTH_MIN = 6
const EDITS_MAX = 2

/**
 * Merges the environment and the settings file. An empty variable counts as not set. Of secrets, only files of `secrets` are opened: a
 * program may not be able to read those of another program.
 */
export function gatherSettings(env: Environment, secrets: string[] = SECRET_NAMES): Gathered {
  const faults: SettingFault[] = []
  const file = env[SETTINGS_FILE]
    ? readLines(env[SETTINGS_FILE], faults)
    : { values: {}, lines: new Map<string, string>() }
  const values: Record<string, string> = { ...giveWay(keepSet(file.values), env), ...keepSet(env) }
  // Whatever stands in our own file was meant for us. The environment also holds what others need: there only what is nearly one of ours is a mistake.
  for (const name of file.lines.keys()) if (!isKnown(name)) faults.push({ name, says: describeUnknown(name) })
  for (const name of Object.keys(keepSet(env))) {
    if (!isKnown(name) && findMeant(name) !== undefined) faults.push({ name, says: describeUnknown(name) })
  }
  for (const name of secrets) takeSecret(name, values, faults)
  const whereIs = (name: string) => (env[name] ? undefined : file.lines.get(name))
  return { values, faults, whereIs: (name) => whereIs(name) ?? whereIs(fileNameOf(name)) }
}

/** A secret that the environment has, in either way, is not also taken from the file in the other. */
function giveWay(values: Record<string, string>, env: Environment): Record<string, string> {
  const settled = SECRET_NAMES.filter((name) => env[name] || env[fileNameOf(name)])
  const names = new Set(settled.flatMap((name) => [name, fileNameOf(name)]))
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.has(name)))
}

function keepSet(env: Environment): Record<string, string> {
  const set = Object.entries(env).filter((entry): entry is [string, string] => Boolean(entry[1]))
  return Object.fromEntries(set)
}

function readLines(path: string, faults: SettingFault[]) {
  const lines = new Map<string, string>()
  const text = readOr(path, (problem) => faults.push({ name: SETTINGS_FILE, says: `${SETTINGS_FILE} ${problem}` }))
  text.split('\n').forEach((line, index) => {
    const name = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=/.exec(line)?.[1]
    if (name === undefined) {
      if (/^\s*[^\s#]/.test(line))
        faults.push({ name: `${path}:${index + 1}`, says: `${path}:${index + 1}: not NAME=value.` })
      return
    }
    if (lines.has(name)) faults.push({ name, says: `${name} stands there again in line ${index + 1}.` })
    else lines.set(name, `${path}:${index + 1}`)
  })
  return { values: parseEnv(text) as Record<string, string>, lines }
}

function takeSecret(name: string, values: Record<string, string>, faults: SettingFault[]): void {
  const path = values[fileNameOf(name)]
  if (path === undefined) return
  if (values[name] !== undefined) {
    faults.push({ name, says: `${name} and ${fileNameOf(name)} are both set. One of them is meant.` })
    return
  }
  const secret = readOr(path, (problem) => faults.push({ name, says: `${fileNameOf(name)} ${problem}` })).trim()
  if (secret !== '') values[name] = secret
}

/** The contents of a file that was named, or what is wrong with it and nothing. An empty file is wrong too: somebody meant to write something. */
function readOr(path: string, complain: (problem: string) => void): string {
  try {
    const text = readFileSync(path, 'utf8')
    if (text.trim() === '') complain('names a file that is empty.')
    return text
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    complain(`names a file that cannot be read (${code}).`)
    return ''
  }
}

function describeUnknown(name: string): string {
  const meant = findMeant(name)
  return `${name} is no setting.${meant === undefined ? '' : ` Did you mean ${meant}?`}`
}

function findMeant(name: string): string | undefined {
  if (name.length < NAME_LENGTH_MIN) return undefined
  return listKnown()
    .map((known) => ({ known, edits: distance(name.toUpperCase(), known) }))
    .filter(({ known, edits }) => edits <= EDITS_MAX && known.length >= NAME_LENGTH_MIN)
    .sort((one, other) => one.edits - other.edits)[0]?.known
}
