import { accessSync, constants, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { distance } from 'fastest-levenshtein'
import type { Static, TObject } from 'typebox'
import Value from 'typebox/value'
import {
  describeReaders,
  documentedName,
  type Environment,
  fileNameOf,
  isKnown,
  listForeignSecrets,
  listKnown,
  PROCESSES,
  SECRET_NAMES,
  SETTINGS_FILE,
  shortName,
} from './every-setting.ts'

/**
 * Reads typed settings with defaults and builds the configuration of a program from them. `build` throws BadSettings for settings that are
 * valid on their own but contradict each other. All faults are reported at once, with their lines.
 */
export function readSettings<Schema extends TObject, Config>(
  schema: Schema,
  env: Environment,
  build: (settings: Static<Schema>) => Config,
): Config {
  return buildFrom(schema, mergeSettings(env, listOwnSecrets(schema)), build)
}

/** The same for a process that must not have the secrets of other processes: each that it can read is a fault. */
export function readOwnSettings<Schema extends TObject, Config>(
  schema: Schema,
  env: Environment,
  build: (settings: Static<Schema>) => Config,
): Config {
  const merged = mergeSettings(env, listOwnSecrets(schema))
  return buildFrom(schema, { ...merged, faults: [...merged.faults, ...listForeignFaults(schema, merged)] }, build)
}

function listOwnSecrets(schema: TObject): string[] {
  return SECRET_NAMES.filter((name) => name in schema.properties)
}

/** The path of a secret's file is no secret: a shared settings file can name it if only one process can read it. */
function listForeignFaults(schema: TObject, { values, spell }: MergedSettings): SettingFault[] {
  return listForeignSecrets(schema).flatMap((name) => {
    const path = values[fileNameOf(name)]
    const isFile = path !== undefined && isReadable(path)
    if (values[name] === undefined && !isFile) return []
    const what = isFile ? `${spell(fileNameOf(name))} is readable by this process and contains` : `${spell(name)} is`
    const says = `${what} a secret that this process does not use. Pass it to ${describeReaders(name)} only.`
    return [{ name, says }]
  })
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false // missing, or of another user
  }
}

function buildFrom<Schema extends TObject, Config>(
  schema: Schema,
  { values, faults, whereIs, spell }: MergedSettings,
  build: (settings: Static<Schema>) => Config,
): Config {
  const names = Object.keys(schema.properties)
  const given = Object.fromEntries(
    names.filter((name) => name in values).map((name) => [name, readSwitch(schema, name, values[name])]),
  )
  const settings = Value.Convert(schema, Value.Default(schema, given))
  if (!Value.Check(schema, settings)) {
    const unfit = names
      .filter((name) => !isSetWell(schema, settings, name) && !faults.some((fault) => fault.name === name))
      .map((name) => ({ name, says: describeFault(schema, settings, { name, spelled: spell(name) }) }))
    throw new BadSettings([...faults, ...unfit], whereIs)
  }
  const built = tryBuild(() => build(settings))
  if (built.kind === 'built' && faults.length === 0) return built.config
  throw new BadSettings([...faults, ...(built.kind === 'refused' ? built.faults : [])], whereIs)
}

/** Booleans are `true` or `false`; `on` and `off` are accepted too. */
function readSwitch(schema: TObject, name: string, text: string | undefined): string | undefined {
  const { type, enum: values = [] } = schema.properties[name] as { type?: string; enum?: unknown[] }
  if (type !== 'boolean' && !values.includes('true')) return text
  return text === 'on' ? 'true' : text === 'off' ? 'false' : text
}

type Built<Config> = { kind: 'built'; config: Config } | { kind: 'refused'; faults: SettingFault[] }

function tryBuild<Config>(build: () => Config): Built<Config> {
  try {
    return { kind: 'built', config: build() }
  } catch (error) {
    if (error instanceof BadSettings) return { kind: 'refused', faults: error.faults }
    throw error
  }
}

function isSetWell(schema: TObject, settings: unknown, name: string): boolean {
  return [...Value.Errors(schema, settings)].every((error) => {
    const missing = 'requiredProperties' in error.params ? error.params.requiredProperties : []
    return error.instancePath !== `/${name}` && !missing.includes(name)
  })
}

type Named = { name: string; spelled: string }

function describeFault(schema: TObject, settings: unknown, { name, spelled }: Named): string {
  const { description = '' } = schema.properties[name] as { description?: string }
  const present = typeof settings === 'object' && settings !== null && name in settings
  return `${spelled} is ${present ? 'not valid' : 'missing'}. ${description}`
}

/** The settings of the environment and of the settings file, by short name, with their faults. */
export type MergedSettings = {
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
export function mergeSettings(env: Environment, secrets: string[] = SECRET_NAMES): MergedSettings {
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

/**
 * The environment to start a process with: other variables as they are, settings under their documented names, those of the settings file
 * included, and no secret of another process.
 */
export function environmentFor(program: keyof typeof PROCESSES, env: Environment): Environment {
  const { values } = mergeSettings(env, []) // each process reads its own secret files
  const foreign = new Set(listForeignSecrets(PROCESSES[program]).flatMap((name) => [name, fileNameOf(name)]))
  const isPassed = (name: string) => isKnown(name) && name !== SETTINGS_FILE && !foreign.has(name)
  return Object.fromEntries([
    ...Object.entries(env).filter(([name]) => !isKnown(name)),
    ...Object.entries(values).flatMap(([name, value]) => (isPassed(name) ? [[documentedName(name), value]] : [])),
  ])
}

function takeSecret(name: string, values: Record<string, string>, faults: SettingFault[]): void {
  const path = values[fileNameOf(name)]
  if (path === undefined) return
  if (values[name] !== undefined) {
    faults.push({ name, says: `${name} and ${fileNameOf(name)} are both set. Set only one of them.` })
    return
  }
  // An empty file counts as not set, like an empty variable: installations have a file for each optional secret.
  const secret = readOr(path, (problem) => faults.push({ name, says: `${fileNameOf(name)} ${problem}` })).trim()
  if (secret !== '') values[name] = secret
}

/** The contents of a file; an empty text and a fault if it is unreadable. */
function readOr(path: string, complain: (problem: string) => void): string {
  try {
    return readFileSync(path, 'utf8')
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

/** One invalid setting. The message never contains the value, which may be a secret. */
export type SettingFault = { name: string; says: string }

/** All invalid settings at once, each with file and line if it is from the settings file. */
export class BadSettings extends Error {
  readonly faults: SettingFault[]

  constructor(faults: SettingFault[], whereIs: (name: string) => string | undefined = () => undefined) {
    const lines = faults.map(({ name, says }) => {
      const place = whereIs(name)
      return `  ${place === undefined ? '' : `${place}: `}${says}`
    })
    super(['Invalid settings:', ...lines].join('\n'))
    this.faults = faults
  }
}
