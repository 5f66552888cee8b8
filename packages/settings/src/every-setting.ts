import type { TObject } from 'typebox'
import { AdminSettings } from './admin-settings.ts'
import { ApiSettings } from './api-settings.ts'
import { WorkerSettings } from './worker-settings.ts'

/** As far as the pages and the checks here read a setting's schema. */
export type Setting = {
  description: string
  default?: string | number | boolean
  /** What holds without it, in words, where a default says too little. */
  otherwise?: string
  /** Never shown; may be handed over in a file, by the same name and `_FILE`. */
  secret?: boolean
  minimum?: number
  maximum?: number
  enum?: string[]
}

/** The kinds of processes, each with the settings that it reads. One file may hold the settings of all of them. */
export const PROGRAMS = { api: ApiSettings, worker: WorkerSettings, admin: AdminSettings } as const

/** Names a file with settings, one NAME=value in a line. What is in the environment as well goes before it. */
export const SETTINGS_FILE = 'SETTINGS_FILE'

export function listSettings(schema: TObject): [name: string, setting: Setting][] {
  return Object.entries(schema.properties) as [string, Setting][]
}

const EVERY = new Map(Object.values(PROGRAMS).flatMap((schema) => listSettings(schema)))

export const SECRET_NAMES: string[] = [...EVERY].filter(([, { secret }]) => secret).map(([name]) => name)

const KNOWN = new Set([...EVERY.keys(), ...SECRET_NAMES.map(fileNameOf), SETTINGS_FILE])

/** Whether any process of ours reads it. */
export function isKnown(name: string): boolean {
  return KNOWN.has(name)
}

export function listKnown(): string[] {
  return [...KNOWN]
}

export function fileNameOf(secret: string): string {
  return `${secret}_FILE`
}
