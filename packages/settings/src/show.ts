import { fileNameOf, listSettings, PROGRAMS } from './every-setting.ts'
import { type Gathered, gatherSettings } from './gather.ts'
import { documentedName, type Environment } from './names.ts'

export type ShownSetting = {
  /** The documented name. */
  name: string
  programs: string[]
  /** Null for a secret, and for a setting without value and default. */
  value: string | null
  source: 'environment' | 'file' | 'secret file' | 'default' | 'not set'
  /** File and line, if it is from a file. */
  place: string | null
}

/** Every setting once, with its value and source. Values of secrets are left out. */
export function showSettings(env: Environment): ShownSetting[] {
  const gathered = gatherSettings(env)
  const shown = new Map<string, ShownSetting>()
  for (const [program, schema] of Object.entries(PROGRAMS)) {
    for (const [name, setting] of listSettings(schema)) {
      const before = shown.get(name)
      if (before !== undefined) {
        before.programs.push(program)
        continue
      }
      const source = findSource(gathered, name, setting.default !== undefined)
      const value = gathered.values[name] ?? (setting.default === undefined ? null : String(setting.default))
      shown.set(name, {
        name: documentedName(name),
        programs: [program],
        value: setting.secret ? null : value,
        source,
        place: gathered.whereIs(name) ?? null,
      })
    }
  }
  return [...shown.values()]
}

function findSource({ values, sourceOf }: Gathered, name: string, hasDefault: boolean): ShownSetting['source'] {
  if (values[fileNameOf(name)] !== undefined) return 'secret file'
  return sourceOf(name) ?? (hasDefault ? 'default' : 'not set')
}
