import type { Static, TObject } from 'typebox'
import Value from 'typebox/value'
import { BadSettings, type SettingFault } from './bad-settings.ts'
import { SECRET_NAMES } from './every-setting.ts'
import { type Environment, gatherSettings } from './gather.ts'

/**
 * Turns what was set into typed settings, defaults filled in, and those into what the program works with. `build` throws BadSettings for
 * what is valid by itself and does not go together. Whatever is wrong is named at once, with its line.
 */
export function readSettings<Schema extends TObject, Config>(
  schema: Schema,
  env: Environment,
  build: (settings: Static<Schema>) => Config,
): Config {
  const names = Object.keys(schema.properties)
  const secrets = SECRET_NAMES.filter((name) => names.includes(name))
  const { values, faults, whereIs } = gatherSettings(env, secrets)
  const given = Object.fromEntries(names.filter((name) => name in values).map((name) => [name, values[name]]))
  const settings = Value.Convert(schema, Value.Default(schema, given))
  if (!Value.Check(schema, settings)) {
    const unfit = names
      .filter((name) => !isSetWell(schema, settings, name) && !faults.some((fault) => fault.name === name))
      .map((name) => ({ name, says: describeFault(schema, settings, name) }))
    throw new BadSettings([...faults, ...unfit], whereIs)
  }
  const built = tryBuild(() => build(settings))
  if (built.kind === 'built' && faults.length === 0) return built.config
  throw new BadSettings([...faults, ...(built.kind === 'refused' ? built.faults : [])], whereIs)
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

function describeFault(schema: TObject, settings: unknown, name: string): string {
  const { description = '' } = schema.properties[name] as { description?: string }
  const present = typeof settings === 'object' && settings !== null && name in settings
  return `${name} is ${present ? 'not valid' : 'missing'}. ${description}`
}
