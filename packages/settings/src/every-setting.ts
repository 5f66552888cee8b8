import Type, { type TObject } from 'typebox'
import { AdminSettings } from './admin-settings.ts'
import { ApiSettings } from './api-settings.ts'
import { SECRETS_OF_TASKS, settingsOfTasks, WorkerSettings } from './worker-settings.ts'

export type Environment = Record<string, string | undefined>

/** Documented names have this prefix. The short names, without it, are accepted too. */
const PREFIX = 'PROBITY_'

/** Variables that OpenTelemetry defines have no other name. */
const STANDARD = /^OTEL_/

/** The name of a setting in the documentation and in error messages. */
export function documentedName(name: string): string {
  return STANDARD.test(name) ? name : `${PREFIX}${name}`
}

/** The name of a setting in the schemas: without the prefix. */
export function shortName(name: string): string {
  const short = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name
  return STANDARD.test(short) ? name : short
}

/** Adds settings to an environment, each only if the environment does not set it under either name. */
export function withDefaults(env: Environment, defaults: Environment): Environment {
  const missing = Object.entries(defaults).filter(([name]) => !env[name] && !env[documentedName(name)])
  return { ...env, ...Object.fromEntries(missing) }
}

/** Replaces settings of an environment: the values under both names, and the secret files that would contradict them. */
export function withSettings(env: Environment, settings: Environment): Environment {
  const replaced = Object.keys(settings).flatMap((name) => [name, `${name}_FILE`])
  const removed = replaced.flatMap((name) => [
    [name, undefined],
    [documentedName(name), undefined],
  ])
  return { ...env, ...Object.fromEntries(removed), ...settings }
}

/** The parts of a setting's schema that the pages and checks here read. */
export type Setting = {
  description: string
  default?: string | number | boolean
  /** Describes the behavior without the setting, where the default alone is not enough. */
  otherwise?: string
  /** Never shown; can be read from a file named by the same setting with the suffix `_FILE`. */
  secret?: boolean
  minimum?: number
  maximum?: number
  enum?: string[]
}

/** The programs and the settings that each reads. One file can contain the settings of all programs. */
export const PROGRAMS = { api: ApiSettings, worker: WorkerSettings, admin: AdminSettings } as const

/** The processes of an installation and the settings of each. Builds of the pages have none. */
export const PROCESSES = {
  api: ApiSettings,
  worker: settingsOfTasks(['validations', 'jobs', 'webhooks']),
  maintenance: settingsOfTasks(['maintenance', 'notifications']),
  build: Type.Object({}),
} as const satisfies Record<string, TObject>

/** The path of a settings file with one NAME=value per line. The environment takes precedence over it. */
export const SETTINGS_FILE = 'SETTINGS_FILE'

export function listSettings(schema: TObject): [name: string, setting: Setting][] {
  return Object.entries(schema.properties) as [string, Setting][]
}

const EVERY = new Map(Object.values(PROGRAMS).flatMap((schema) => listSettings(schema)))

export const SECRET_NAMES: string[] = [...EVERY].filter(([, { secret }]) => secret).map(([name]) => name)

const KNOWN = new Set([...EVERY.keys(), ...SECRET_NAMES.map(fileNameOf), SETTINGS_FILE])

/** Whether a program reads a setting of this name, with or without the prefix. */
export function isKnown(name: string): boolean {
  return KNOWN.has(shortName(name))
}

export function listKnown(): string[] {
  return [...KNOWN]
}

export function fileNameOf(secret: string): string {
  return `${secret}_FILE`
}

/** The secrets of other programs and tasks. */
export function listForeignSecrets(schema: TObject): string[] {
  return SECRET_NAMES.filter((name) => !(name in schema.properties))
}

/** The processes that read a setting. */
export function describeReaders(name: string): string {
  const tasks = SECRETS_OF_TASKS[name as keyof typeof SECRETS_OF_TASKS]
  const readers = [
    ...(name in ApiSettings.properties ? ['the API'] : []),
    ...(name in WorkerSettings.properties
      ? [tasks ? `worker processes that run ${tasks.join(' or ')}` : 'workers']
      : []),
    ...(name in AdminSettings.properties ? ['operator commands'] : []),
  ]
  return readers.join(', ').replace(/, (?=[^,]*$)/, ' and ')
}
