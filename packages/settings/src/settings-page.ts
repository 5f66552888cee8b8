import { AdminSettings } from './admin-settings.ts'
import {
  describeReaders,
  documentedName,
  type Environment,
  fileNameOf,
  listSettings,
  PROGRAMS,
  SECRET_NAMES,
  type Setting,
} from './every-setting.ts'
import { type MergedSettings, mergeSettings } from './parse.ts'

const INTRODUCTION = `# Settings

This page lists all settings of all processes.
\`pnpm admin settings --page\` generates it from the schemas that the processes use, and a test compares the two.

Settings are environment variables, or lines of the file that \`PROBITY_SETTINGS_FILE\` names: one \`NAME=value\` per line, \`#\` starts a comment.
All processes can share one file; each reads its own settings.
The environment takes precedence over the file.
An empty value counts as not set.

Names start with \`PROBITY_\`, except those that OpenTelemetry defines.
Every setting is also accepted without the prefix: \`DATABASE_URL\` is the same as \`PROBITY_DATABASE_URL\`.
If both are set to different values, the process does not start, and the error names both.
Boolean settings are \`true\` or \`false\`.

A setting marked *secret* can be read from a file: \`PROBITY_DATABASE_URL_FILE=/run/secrets/database_url\` instead of \`PROBITY_DATABASE_URL=…\`.
Leading and trailing whitespace in the file is ignored, and an empty file counts as not set.
The API and the worker do not start with a secret that only another process uses, so that a fault in one does not reveal the secrets of all.
The name of its file can be in a shared settings file if the process cannot read the file.
The table [Secrets](#secrets) lists the processes of each secret.

A process with invalid settings does not start.
It prints all errors at once with file and line, never prints a value, and exits with code 78.
Invalid are missing and malformed values, contradictory settings, a secret that is set twice, a secret of another process, an unknown name in the file, and a name in the environment that looks like a misspelled setting: \`Unknown setting PROBITY_SMTP_HELO_NAM. Did you mean PROBITY_SMTP_HELO_NAME?\`

\`probity-admin settings\` prints the current settings and their sources, without secrets.
`

const SECTIONS: Record<keyof typeof PROGRAMS, string> = {
  api: '## The API',
  worker: '## The worker',
  admin: '## Operator commands',
}

/** docs/settings.md */
export function writeSettingsPage(): string {
  const sections = (Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[]).map((program) => {
    const rows = listSettings(PROGRAMS[program]).map(([name, setting]) =>
      writeRow(name, setting, isRequired(program, name)),
    )
    return [SECTIONS[program], '', '| setting | default | description |', '|---|---|---|', ...rows].join('\n')
  })
  return `${[INTRODUCTION.trimEnd(), ...sections, writeSecrets()].join('\n\n')}\n`
}

function writeSecrets(): string {
  const about =
    'Worker processes differ by their `PROBITY_WORKER_TASKS`.\nOperator commands accept all secrets, because `up` passes them on.'
  const rows = SECRET_NAMES.map((name) => `| \`${documentedName(name)}\` | ${describeReaders(name)} |`)
  return ['## Secrets', '', about, '', '| secret | used by |', '|---|---|', ...rows].join('\n')
}

function isRequired(program: keyof typeof PROGRAMS, name: string): boolean {
  return (PROGRAMS[program].required as string[]).includes(name) && !('default' in readSetting(program, name))
}

function readSetting(program: keyof typeof PROGRAMS, name: string): Setting {
  return (PROGRAMS[program].properties as unknown as Record<string, Setting>)[name] as Setting
}

function writeRow(name: string, setting: Setting, required: boolean): string {
  const notes = [
    describeBounds(setting),
    setting.secret ? `*Secret*: also as \`${fileNameOf(documentedName(name))}\`.` : '',
  ]
  const meaning = [markCode(setting.description ?? ''), ...notes.filter((note) => note !== '')].join(' ')
  return `| \`${documentedName(name)}\` | ${describeAbsence(setting, required)} | ${meaning} |`
}

/** Writes names of settings and URLs as code, so that the page has no links to example hosts. */
function markCode(text: string): string {
  return text.replaceAll(/`[^`]*`|PROBITY_[A-Z0-9_]+|[\w=-]+:\/\/(?:[^\s,;)]*[^\s,;):.])?/g, (piece) =>
    piece.startsWith('`') ? piece : `\`${piece}\``,
  )
}

function describeAbsence(setting: Setting, required: boolean): string {
  if (required) return 'required'
  if (setting.otherwise !== undefined) return markCode(setting.otherwise)
  return setting.default === undefined || setting.default === '' ? 'none' : `\`${setting.default}\``
}

function describeBounds({ minimum, maximum, enum: values }: Setting): string {
  if (values !== undefined) return `One of ${values.map((value) => `\`${value}\``).join(', ')}.`
  if (minimum === undefined || maximum === undefined) return ''
  return `From ${minimum.toLocaleString('en-US')} to ${maximum.toLocaleString('en-US')}.`
}

type ShownSetting = {
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
  const merged = mergeSettings(env)
  const shown = new Map<string, ShownSetting>()
  for (const [program, schema] of Object.entries(PROGRAMS)) {
    for (const [name, setting] of listSettings(schema)) {
      const before = shown.get(name)
      if (before !== undefined) {
        before.programs.push(program)
        continue
      }
      const source = findSource(merged, name, setting.default !== undefined)
      const value = merged.values[name] ?? (setting.default === undefined ? null : String(setting.default))
      shown.set(name, {
        name: documentedName(name),
        programs: [program],
        value: setting.secret ? null : value,
        source,
        place: merged.whereIs(name) ?? null,
      })
    }
  }
  return [...shown.values()]
}

function findSource({ values, sourceOf }: MergedSettings, name: string, hasDefault: boolean): ShownSetting['source'] {
  if (values[fileNameOf(name)] !== undefined) return 'secret file'
  return sourceOf(name) ?? (hasDefault ? 'default' : 'not set')
}

const EXAMPLE_INTRODUCTION = `# All settings with their defaults, as comments. \`pnpm -s admin settings --example\` generates this file.
# To change settings: cp .env.example .env, remove the # in front of a setting, and run PROBITY_SETTINGS_FILE=.env pnpm dev
# docs/settings.md describes the format and names the programs that read each setting.
`

/** .env.example: every setting once, in the order of the programs that read it. */
export function writeSettingsExample(): string {
  const settings = new Map((Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[]).flatMap(listExamples))
  return [EXAMPLE_INTRODUCTION, ...settings.values()].join('\n')
}

function listExamples(program: keyof typeof PROGRAMS): [name: string, lines: string][] {
  return listSettings(PROGRAMS[program]).map(([name, setting]) => {
    // The default of a secret is that of `pnpm dev`, which passes it on to the API and the worker.
    const fallback = setting.default ?? readDefault(name) ?? ''
    return [name, `# ${setting.description}\n#${documentedName(name)}=${quote(String(fallback))}\n`]
  })
}

function readDefault(name: string): Setting['default'] {
  return listSettings(AdminSettings).find(([one]) => one === name)?.[1].default
}

function quote(value: string): string {
  return /^[^\s#'"`]*$/.test(value) ? value : `"${value}"`
}
