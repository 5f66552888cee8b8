import { fileNameOf, listSettings, PROGRAMS, type Setting } from './every-setting.ts'

const INTRODUCTION = `# Settings

Every setting of every process. This page is written by \`pnpm admin settings --page\` from the schemas that the processes read them by, and a test holds it to them.

Settings are environment variables, or lines of a file that \`SETTINGS_FILE\` names: one \`NAME=value\` in a line, \`#\` begins a comment. All processes may share
one file, each takes what is its own. Where both have a setting, the environment goes first. An empty one counts as not set.

A setting marked *secret* may lie in a file of its own: \`DATABASE_URL_FILE=/run/secrets/database_url\` instead of \`DATABASE_URL=…\`. Blanks and line ends around it are
not part of it.

A process refuses to start with settings that cannot be used, names all of them at once with the file and the line they stand in, never repeats a value, and
exits with code 78. Refused is what is missing or not valid, what contradicts itself, a secret that is given twice, any name in the file that nobody
reads, and in the environment a name that is nearly one of ours: \`SMTP_HELO_NAM is no setting. Did you mean SMTP_HELO_NAME?\`

\`pnpm admin settings\` prints what is set here, where each came from, and no secret.
`

const SECTIONS: Record<keyof typeof PROGRAMS, string> = {
  api: '## The api',
  worker: '## The worker',
  admin: "## The operator's commands",
}

/** docs/settings.md */
export function writeSettingsPage(): string {
  const sections = (Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[]).map((program) => {
    const rows = listSettings(PROGRAMS[program]).map(([name, setting]) =>
      writeRow(name, setting, isRequired(program, name)),
    )
    return [SECTIONS[program], '', '| setting | without it | meaning |', '|---|---|---|', ...rows].join('\n')
  })
  return `${[INTRODUCTION.trimEnd(), ...sections].join('\n\n')}\n`
}

function isRequired(program: keyof typeof PROGRAMS, name: string): boolean {
  return (PROGRAMS[program].required as string[]).includes(name) && !('default' in readSetting(program, name))
}

function readSetting(program: keyof typeof PROGRAMS, name: string): Setting {
  return (PROGRAMS[program].properties as unknown as Record<string, Setting>)[name] as Setting
}

function writeRow(name: string, setting: Setting, required: boolean): string {
  const notes = [describeBounds(setting), setting.secret ? `*Secret*: also as \`${fileNameOf(name)}\`.` : '']
  const meaning = [setting.description, ...notes.filter((note) => note !== '')].join(' ')
  return `| \`${name}\` | ${describeAbsence(setting, required)} | ${meaning} |`
}

function describeAbsence(setting: Setting, required: boolean): string {
  if (required) return 'required'
  if (setting.otherwise !== undefined) return setting.otherwise
  return setting.default === undefined || setting.default === '' ? 'none' : `\`${setting.default}\``
}

function describeBounds({ minimum, maximum, enum: values }: Setting): string {
  if (values !== undefined) return `One of ${values.map((value) => `\`${value}\``).join(', ')}.`
  if (minimum === undefined || maximum === undefined) return ''
  return `From ${minimum.toLocaleString('en-GB')} to ${maximum.toLocaleString('en-GB')}.`
}
