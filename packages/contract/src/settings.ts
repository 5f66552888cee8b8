import type { Static, TObject } from 'typebox'
import { Format } from 'typebox/format'
import Value from 'typebox/value'

/** Settings that cannot be used; the message names every fault at once, and never a value: some of them are secrets. */
export class BadSettings extends Error {}

type Environment = Record<string, string | undefined>

/** Turns environment variables into typed settings, defaults filled in. An empty variable counts as not set. */
export function parseSettings<Schema extends TObject>(schema: Schema, env: Environment): Static<Schema> {
  const names = Object.keys(schema.properties)
  const given = names.filter((name) => env[name] !== undefined && env[name] !== '').map((name) => [name, env[name]])
  const settings = Value.Convert(schema, Value.Default(schema, Object.fromEntries(given)))
  if (Value.Check(schema, settings)) return settings

  const faults = names
    .filter((name) => !isSetWell(schema, settings, name))
    .map((name) => describeFault(schema, settings, name))
  throw new BadSettings(`These settings cannot be used:\n${faults.join('\n')}`)
}

/** A setting that names several things, separated by commas. */
export function readList(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

function isSetWell(schema: TObject, settings: unknown, name: string): boolean {
  return [...Value.Errors(schema, settings)].every((error) => {
    const missing = 'requiredProperties' in error.params ? error.params.requiredProperties : []
    return error.instancePath !== `/${name}` && !missing.includes(name)
  })
}

function describeFault(schema: TObject, settings: unknown, name: string): string {
  const { description = '' } = schema.properties[name] as { description?: string }
  const present = typeof settings === 'object' && settings !== null && name in settings
  return `  ${name} is ${present ? 'not valid' : 'missing'}. ${description}`
}

/** A connection URL of one of the named kinds. For the settings' own schemas: formats are checked by name. */
export const URL_FORMATS = { postgres: 'postgres-url', redis: 'redis-url' } as const

Format.Set(URL_FORMATS.postgres, (text) => /^postgres(ql)?:\/\/./.test(text) && URL.canParse(text))
Format.Set(URL_FORMATS.redis, (text) => /^rediss?:\/\/./.test(text) && URL.canParse(text))
