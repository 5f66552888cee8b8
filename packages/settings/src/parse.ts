import type { Static, TObject } from 'typebox'
import Value from 'typebox/value'
import { BadSettings, type SettingFault } from './bad-settings.ts'
import { SECRET_NAMES } from './every-setting.ts'
import { gatherSettings } from './gather.ts'
import type { Environment } from './names.ts'

/**
 * Reads typed settings with defaults and builds the configuration of a program from them. `build` throws BadSettings for settings that are
 * valid on their own but contradict each other. All faults are reported at once, with their lines.
 */
export function readSettings<Schema extends TObject, Config>(
  schema: Schema,
  env: Environment,
  build: (settings: Static<Schema>) => Config,
): Config {
  const names = Object.keys(schema.properties)
  const secrets = SECRET_NAMES.filter((name) => names.includes(name))
  const { values, faults, whereIs, spell } = gatherSettings(env, secrets)
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
