import type { TObject } from 'typebox'
import { AdminSettings } from './admin-settings.ts'
import { ApiSettings } from './api-settings.ts'
import { shortName } from './names.ts'
import { WorkerSettings } from './worker-settings.ts'

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
