import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { distance } from 'fastest-levenshtein'
import type { SettingFault } from './bad-settings.ts'
import { fileNameOf, isKnown, listKnown, SECRET_NAMES, SETTINGS_FILE } from './every-setting.ts'
import { documentedName, type Environment, shortName } from './names.ts'

/** The settings of the environment and of the settings file, by short name, with their faults. */
export type Gathered = {
  values: Record<string, string>
  faults: SettingFault[]
  sourceOf(name: string): 'environment' | 'file' | undefined
  /** The file and line of a setting; undefined if it is not from the file. */
  whereIs(name: string): string | undefined
  /** The name that was used for a setting; the documented name if it is not set. */
  spell(name: string): string
}

/** Shorter names are not compared: two edits turn a short name into another one. */
const NAME_LENGTH_MIN = 6
const EDITS_MAX = 2

/**
 * Merges the environment and the settings file. An empty variable counts as not set. Of secrets, only files of `secrets` are opened: a
 * program may not be able to read those of another program.
 */
export function gatherSettings(env: Environment, secrets: string[] = SECRET_NAMES): Gathered {
  const faults: SettingFault[] = []
  const own = withoutPrefix(keepSet(env), faults)
  const path = own.values[SETTINGS_FILE]
  const file = path === undefined ? { values: {}, lines: new Map<string, string>() } : readLines(path, faults)
  const inFile = withoutPrefix(keepSet(file.values), faults)
  const values: Record<string, string> = { ...giveWay(inFile.values, own.values), ...own.values }
  // Every name in the settings file must be a setting. The environment has variables of other programs: only near misses are faults.
  for (const name of file.lines.keys()) if (!isKnown(name)) faults.push({ name, says: describeUnknown(name) })
  for (const name of Object.keys(keepSet(env))) {
    if (!isKnown(name) && findMeant(name) !== undefined) faults.push({ name, says: describeUnknown(name) })
  }
  for (const name of secrets) takeSecret(name, values, faults)
  const sourceOf = (name: string) => (name in own.values ? 'environment' : name in values ? 'file' : undefined)
  const whereIs = (name: string) => (name in own.values ? undefined : file.lines.get(inFile.spelled.get(name) ?? name))
  return {
    values,
    faults,
    sourceOf,
    whereIs: (name) => whereIs(name) ?? whereIs(fileNameOf(name)),
    spell: (name) => own.spelled.get(name) ?? inFile.spelled.get(name) ?? documentedName(name),
  }
}

type Unprefixed = { values: Record<string, string>; spelled: Map<string, string> }

/** Settings by short name. A setting with different values under its two names is a fault. */
function withoutPrefix(set: Record<string, string>, faults: SettingFault[]): Unprefixed {
  const values: Record<string, string> = {}
  const spelled = new Map<string, string>()
  for (const [name, value] of Object.entries(set)) {
    const short = isKnown(name) ? shortName(name) : name
    const before = spelled.get(short)
    if (before !== undefined && values[short] !== value) {
      const says = `${documentedName(short)} and ${short} are set to different values. Set only one of them.`
      faults.push({ name: short, says })
    }
    values[short] = value
    spelled.set(short, name)
  }
  return { values, spelled }
}

/** A secret that the environment sets, directly or as a file, is not also read from the settings file. */
function giveWay(values: Record<string, string>, own: Record<string, string>): Record<string, string> {
  const settled = SECRET_NAMES.filter((name) => own[name] || own[fileNameOf(name)])
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
    if (lines.has(name)) faults.push({ name, says: `${name} is set again in line ${index + 1}.` })
    else lines.set(name, `${path}:${index + 1}`)
  })
  return { values: parseEnv(text) as Record<string, string>, lines }
}

function takeSecret(name: string, values: Record<string, string>, faults: SettingFault[]): void {
  const path = values[fileNameOf(name)]
  if (path === undefined) return
  if (values[name] !== undefined) {
    faults.push({ name, says: `${name} and ${fileNameOf(name)} are both set. Set only one of them.` })
    return
  }
  const secret = readOr(path, (problem) => faults.push({ name, says: `${fileNameOf(name)} ${problem}` })).trim()
  if (secret !== '') values[name] = secret
}

/** The contents of a file; an empty text and a fault if it is unreadable or empty. */
function readOr(path: string, complain: (problem: string) => void): string {
  try {
    const text = readFileSync(path, 'utf8')
    if (text.trim() === '') complain('refers to an empty file.')
    return text
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    complain(`refers to an unreadable file (${code}).`)
    return ''
  }
}

function describeUnknown(name: string): string {
  const meant = findMeant(name)
  return `Unknown setting ${name}.${meant === undefined ? '' : ` Did you mean ${documentedName(meant)}?`}`
}

function findMeant(given: string): string | undefined {
  const name = shortName(given)
  if (name.length < NAME_LENGTH_MIN) return undefined
  return listKnown()
    .map((known) => ({ known, edits: distance(name.toUpperCase(), known) }))
    .filter(({ known, edits }) => edits <= EDITS_MAX && known.length >= NAME_LENGTH_MIN)
    .sort((one, other) => one.edits - other.edits)[0]?.known
}
