import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Type from 'typebox'
import { expect, test } from 'vitest'
import { URL_FORMATS } from './formats.ts'
import { BadSettings, environmentFor, readOwnSettings, readSettings } from './parse.ts'

const Settings = Type.Object({
  DATABASE_URL: Type.String({ format: URL_FORMATS.postgres, secret: true, description: 'The primary database.' }),
  PORT: Type.Integer({ minimum: 0, maximum: 65535, default: 3000, description: 'The port.' }),
  RELEASE: Type.Boolean({ default: false, description: 'Run the dispatcher.' }),
})
const DATABASE = 'postgres://user:hunter2@127.0.0.1/x'
const FOLDER = mkdtempSync(join(tmpdir(), 'probity-settings-'))

const read = (env: Record<string, string | undefined>) => readSettings(Settings, env, (settings) => settings)

function write(name: string, text: string): string {
  const path = join(FOLDER, name)
  writeFileSync(path, text)
  return path
}

function refusal(env: Record<string, string | undefined>): string {
  try {
    read(env)
  } catch (error) {
    if (error instanceof BadSettings) return error.message
    throw error
  }
  return 'none'
}

test('readSettings converts numbers and booleans and applies defaults', () => {
  const env = { DATABASE_URL: DATABASE, RELEASE: 'true', PORT: '', OTHER: 'ignored' }
  expect(read(env)).toEqual({ DATABASE_URL: DATABASE, PORT: 3000, RELEASE: true })
})

test('readSettings reports all faults at once with the descriptions of the settings', () => {
  const said = refusal({ PORT: 'eighty' })
  expect(said).toContain('  PROBITY_DATABASE_URL is missing. The primary database.')
  expect(said).toContain('  PORT is not valid. The port.')
  expect(said).not.toContain('RELEASE')
})

test('error messages contain no values, which may be secrets', () => {
  const said = [refusal({ DATABASE_URL: 'mysql://user:hunter2@db' }), refusal({ DATABASE_UR: DATABASE })].join('\n')
  expect(said).toContain('DATABASE_URL is not valid')
  expect(said).not.toContain('hunter2')
})

test('the environment takes precedence over the settings file', () => {
  const path = write('settings.env', `# ours\nDATABASE_URL="${DATABASE}"\n\nPORT=4000\nRELEASE=true\n`)
  expect(read({ SETTINGS_FILE: path })).toEqual({ DATABASE_URL: DATABASE, PORT: 4000, RELEASE: true })
  expect(read({ SETTINGS_FILE: path, PORT: '5000' })).toMatchObject({ PORT: 5000 })
})

test('faults in the settings file, including unknown names, are reported with their lines', () => {
  const lines = [
    'PORT=eighty',
    'SMTP_HELO_NAM=mail.example.com',
    'COLOUR=blue',
    'what',
    `DATABASE_URL=${DATABASE}`,
    'PORT=1',
  ]
  const path = write('wrong.env', lines.join('\n'))
  const said = refusal({ SETTINGS_FILE: path })
  expect(said.split('\n')).toEqual([
    'Invalid settings:',
    `  ${path}:4: not NAME=value.`,
    `  ${path}:1: PORT is set again in line 6.`,
    `  ${path}:2: Unknown setting SMTP_HELO_NAM. Did you mean PROBITY_SMTP_HELO_NAME?`,
    `  ${path}:3: Unknown setting COLOUR.`,
  ])
})

test('in the environment only misspelled settings are faults', () => {
  const others = {
    PATH: '/bin',
    HOSTNAME: 'x',
    REDIS_PORT: 'tcp://10.0.0.1:6379',
    MAIL: '/var/mail/x',
    PORTS: '1',
    LANG: 'C',
  }
  expect(refusal({ DATABASE_URL: DATABASE, ...others })).toBe('none')
  expect(refusal({ DATABASE_URL: DATABASE, DATABASE_URI: 'x' })).toContain(
    '  Unknown setting DATABASE_URI. Did you mean PROBITY_DATABASE_URL?',
  )
})

test('a secret is read from its file without surrounding whitespace', () => {
  const secret = write('database_url', `${DATABASE}\n`)
  expect(read({ DATABASE_URL_FILE: secret })).toMatchObject({ DATABASE_URL: DATABASE })
  const settings = write('with-secret.env', `DATABASE_URL_FILE=${secret}\n`)
  expect(read({ SETTINGS_FILE: settings })).toMatchObject({ DATABASE_URL: DATABASE })
})

test('a secret set directly and as a file is a fault; the environment overrides both forms of the settings file', () => {
  const secret = write('again', DATABASE)
  expect(refusal({ DATABASE_URL: DATABASE, DATABASE_URL_FILE: secret })).toContain(
    'DATABASE_URL and DATABASE_URL_FILE are both set.',
  )
  const settings = write('both.env', `DATABASE_URL_FILE=${write('other', 'postgres://other/y')}\n`)
  expect(read({ SETTINGS_FILE: settings, DATABASE_URL: DATABASE })).toMatchObject({ DATABASE_URL: DATABASE })
  const plain = write('plain.env', 'DATABASE_URL=postgres://other/y\n')
  expect(read({ SETTINGS_FILE: plain, DATABASE_URL_FILE: secret })).toMatchObject({ DATABASE_URL: DATABASE })
})

test('an unreadable file is reported once, by the setting that names it', () => {
  expect(refusal({ DATABASE_URL_FILE: join(FOLDER, 'nowhere') }).split('\n')).toEqual([
    'Invalid settings:',
    '  DATABASE_URL_FILE refers to an unreadable file (ENOENT).',
  ])
  expect(refusal({ SETTINGS_FILE: join(FOLDER, 'nowhere'), DATABASE_URL: DATABASE })).toContain(
    'SETTINGS_FILE refers to an unreadable file (ENOENT).',
  )
})

test('an empty secret file counts as not set', () => {
  expect(refusal({ DATABASE_URL_FILE: write('empty', '\n') })).toContain('PROBITY_DATABASE_URL is missing.')
})

const readOwn = (env: Record<string, string | undefined>) => () =>
  readOwnSettings(Settings, { DATABASE_URL: DATABASE, ...env }, (settings) => settings)

test('readOwnSettings rejects each secret of another process and names those that use it', () => {
  const path = write('secrets.env', '# ours\nPROBITY_STRIPE_SECRET_KEY=sk_live_hunter2\n')
  const rejected = readOwn({ SETTINGS_FILE: path, MAIL_URL: 'smtp://u:hunter2@relay', PORT: '4000' })
  const not = 'is a secret that this process does not use.'
  expect(rejected).toThrow(
    [
      'Invalid settings:',
      `  MAIL_URL ${not} Pass it to the API and worker processes that run notifications only.`,
      `  ${path}:2: PROBITY_STRIPE_SECRET_KEY ${not} Pass it to the API only.`,
    ].join('\n'),
  )
  expect(rejected).not.toThrow('hunter2')
})

test('readOwnSettings rejects a secret file of another process only if it can read the file', () => {
  const relay = write('mail_url', 'smtp://relay\n')
  const rejected = readOwn({ MAIL_URL_FILE: relay })
  expect(rejected).toThrow('MAIL_URL_FILE is readable by this process and contains a secret that this process does not')
  expect(readOwn({ MAIL_URL_FILE: join(FOLDER, 'nowhere') })()).toMatchObject({ PORT: 3000 })
})

test('environmentFor passes a process its own secrets and the settings of the file, and other variables as they are', () => {
  const lines = ['PORT=4000', 'MAIL_URL_FILE=/run/mail_url', 'STRIPE_SECRET_KEY=sk_live_1', 'SMTP_EGRESS=a.example=b']
  const file = write('all.env', lines.join('\n'))
  const env = { PROBITY_SETTINGS_FILE: file, PATH: '/bin', DATABASE_OWNER_URL: DATABASE, PROBITY_PORT: '5000' }
  const shared = { PATH: '/bin', PROBITY_PORT: '5000' }
  const mail = { PROBITY_MAIL_URL_FILE: '/run/mail_url' }
  expect(environmentFor('api', env)).toEqual({ ...shared, ...mail, PROBITY_STRIPE_SECRET_KEY: 'sk_live_1' })
  expect(environmentFor('worker', env)).toEqual({ ...shared, PROBITY_SMTP_EGRESS: 'a.example=b' })
  expect(environmentFor('maintenance', env)).toEqual({ ...shared, ...mail })
  expect(environmentFor('build', env)).toEqual(shared)
})

test('contradictory settings are reported with their lines', () => {
  const path = write('together.env', `DATABASE_URL=${DATABASE}\n\nPORT=25\n`)
  const build = () => {
    throw new BadSettings([{ name: 'PORT', says: 'PORT is not for mail.' }])
  }
  expect(() => readSettings(Settings, { SETTINGS_FILE: path }, build)).toThrow(`  ${path}:3: PORT is not for mail.`)
})

test('the secret file of another program is not opened', () => {
  const settings = write('shared.env', `DATABASE_URL=${DATABASE}\nMAIL_URL_FILE=${join(FOLDER, 'not-readable')}\n`)
  expect(read({ SETTINGS_FILE: settings })).toMatchObject({ DATABASE_URL: DATABASE })
})

test('settings are read with and without the prefix PROBITY_', () => {
  const path = write('prefixed.env', 'PROBITY_PORT=4000\nRELEASE=true\n')
  expect(read({ PROBITY_SETTINGS_FILE: path, PROBITY_DATABASE_URL: DATABASE })).toEqual({
    DATABASE_URL: DATABASE,
    PORT: 4000,
    RELEASE: true,
  })
  const secret = write('prefixed-secret', `${DATABASE}\n`)
  expect(read({ PROBITY_DATABASE_URL_FILE: secret })).toMatchObject({ DATABASE_URL: DATABASE })
})

test('the same value under both names is accepted', () => {
  expect(read({ DATABASE_URL: DATABASE, PROBITY_PORT: '4000', PORT: '4000' })).toMatchObject({ PORT: 4000 })
  expect(read({ DATABASE_URL: DATABASE, PROBITY_PORT: '4000', PORT: '' })).toMatchObject({ PORT: 4000 })
})

test('different values under both names are a fault that names both, without the values', () => {
  const said = refusal({ DATABASE_URL: DATABASE, PROBITY_DATABASE_URL: 'postgres://u:hunter3@db/y' })
  expect(said.split('\n')).toEqual([
    'Invalid settings:',
    '  PROBITY_DATABASE_URL and DATABASE_URL are set to different values. Set only one of them.',
  ])
  const path = write('two-names.env', `DATABASE_URL=${DATABASE}\nPROBITY_PORT=4000\nPORT=5000\n`)
  expect(refusal({ SETTINGS_FILE: path })).toContain('PROBITY_PORT and PORT are set to different values.')
})

test('the environment takes precedence over the settings file under either name', () => {
  const path = write('precedence.env', `DATABASE_URL=${DATABASE}\nPROBITY_PORT=4000\nRELEASE=true\n`)
  expect(read({ SETTINGS_FILE: path, PORT: '5000', PROBITY_RELEASE: 'false' })).toMatchObject({
    PORT: 5000,
    RELEASE: false,
  })
})

test('a secret set directly and as a file under different names is a fault', () => {
  const env = { PROBITY_DATABASE_URL: DATABASE, DATABASE_URL_FILE: write('other-form', DATABASE) }
  expect(refusal(env)).toContain('DATABASE_URL and DATABASE_URL_FILE are both set.')
})

test('a misspelled prefixed name is a fault; variables of the CLI are not', () => {
  expect(refusal({ DATABASE_URL: DATABASE, PROBITY_DATABASE_URI: 'x' })).toContain(
    '  Unknown setting PROBITY_DATABASE_URI. Did you mean PROBITY_DATABASE_URL?',
  )
  const cli = { PROBITY_API_KEY: 'x', PROBITY_BASE_URL: 'x', PROBITY_PROFILE: 'x', PROBITY_DOMAIN: 'x' }
  expect(refusal({ DATABASE_URL: DATABASE, ...cli })).toBe('none')
})

test.each([
  ['true', true],
  ['false', false],
  ['on', true],
  ['off', false],
])('the boolean %s is read as %s', (text, value) => {
  expect(read({ DATABASE_URL: DATABASE, RELEASE: text })).toMatchObject({ RELEASE: value })
})

test('a fault names the setting as it was written, and a missing setting by its documented name', () => {
  expect(refusal({ PROBITY_PORT: 'eighty' }).split('\n')).toEqual([
    'Invalid settings:',
    '  PROBITY_DATABASE_URL is missing. The primary database.',
    '  PROBITY_PORT is not valid. The port.',
  ])
})
