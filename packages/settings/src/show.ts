import { fileNameOf, listSettings, PROGRAMS, SETTINGS_FILE } from './every-setting.ts'
import { type Environment, gatherSettings } from './gather.ts'

export type ShownSetting = {
  name: string
  programs: string[]
  /** Null for a secret, and for what is not set and has no default. */
  value: string | null
  source: 'environment' | 'file' | 'secret file' | 'default' | 'not set'
  /** The file and line, where it came from one. */
  place: string | null
}

/** What is set, for an operator to look at: every setting once, with where it came from. Secrets are not repeated. */
export function showSettings(env: Environment): ShownSetting[] {
  const { values, whereIs } = gatherSettings(env)
  const shown = new Map<string, ShownSetting>()
  for (const [program, schema] of Object.entries(PROGRAMS)) {
    for (const [name, setting] of listSettings(schema)) {
      const before = shown.get(name)
      if (before !== undefined) {
        before.programs.push(program)
        continue
      }
      const source = findSource(env, values, name, setting.default !== undefined)
      const value = values[name] ?? (setting.default === undefined ? null : String(setting.default))
      shown.set(name, {
        name,
        programs: [program],
        value: setting.secret ? null : value,
        source,
        place: whereIs(name) ?? null,
      })
    }
  }
  return [...shown.values()]
}

function findSource(env: Environment, values: Environment, name: string, hasDefault: boolean): ShownSetting['source'] {
  if (values[fileNameOf(name)] !== undefined) return 'secret file'
  if (env[name]) return 'environment'
  if (values[name] !== undefined && env[SETTINGS_FILE]) return 'file'
  return hasDefault ? 'default' : 'not set'
}
