import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Type from 'typebox'
import { expect, test } from 'vitest'
import { BadSettings } from './bad-settings.ts'
import { URL_FORMATS } from './formats.ts'
import { readSettings } from './parse.ts'

const Settings = Type.Object({
  DATABASE_URL: Type.String({ format: URL_FORMATS.postgres, secret: true, description: 'Where the truth is kept.' }),
  PORT: Type.Integer({ minimum: 0, maximum: 65535, default: 3000, description: 'The port.' }),
  RELEASE: Type.Boolean({ default: false, description: 'Look for lost work.' }),
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

test('reads numbers and booleans and fills in defaults', () => {
  const env = { DATABASE_URL: DATABASE, RELEASE: 'true', PORT: '', OTHER: 'ignored' }
  expect(read(env)).toEqual({ DATABASE_URL: DATABASE, PORT: 3000, RELEASE: true })
})

test('names every fault at once and says what the setting is for', () => {
  const said = refusal({ PORT: 'eighty' })
  expect(said).toContain('DATABASE_URL is missing. Where the truth is kept.')
  expect(said).toContain('PORT is not valid. The port.')
  expect(said).not.toContain('RELEASE')
})

test('never repeats a value, since it may be a secret', () => {
  const said = [refusal({ DATABASE_URL: 'mysql://user:hunter2@db' }), refusal({ DATABASE_UR: DATABASE })].join('\n')
  expect(said).toContain('DATABASE_URL is not valid')
  expect(said).not.toContain('hunter2')
})

test('takes settings from a file, and the word of the environment before it', () => {
  const path = write('settings.env', `# ours\nDATABASE_URL="${DATABASE}"\n\nPORT=4000\nRELEASE=true\n`)
  expect(read({ SETTINGS_FILE: path })).toEqual({ DATABASE_URL: DATABASE, PORT: 4000, RELEASE: true })
  expect(read({ SETTINGS_FILE: path, PORT: '5000' })).toMatchObject({ PORT: 5000 })
})

test('says the line of whatever is wrong in the file, and takes a name that nobody reads for a mistake there', () => {
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
    'These settings cannot be used:',
    `  ${path}:4: not NAME=value.`,
    `  ${path}:1: PORT stands there again in line 6.`,
    `  ${path}:2: SMTP_HELO_NAM is no setting. Did you mean SMTP_HELO_NAME?`,
    `  ${path}:3: COLOUR is no setting.`,
  ])
})

test('in the environment only what is nearly one of ours is a mistake', () => {
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
    '  DATABASE_URI is no setting. Did you mean DATABASE_URL?',
  )
})

test('takes a secret from a file of its own, without the line end', () => {
  const secret = write('database_url', `${DATABASE}\n`)
  expect(read({ DATABASE_URL_FILE: secret })).toMatchObject({ DATABASE_URL: DATABASE })
  const settings = write('with-secret.env', `DATABASE_URL_FILE=${secret}\n`)
  expect(read({ SETTINGS_FILE: settings })).toMatchObject({ DATABASE_URL: DATABASE })
})

test('refuses a secret that is given twice, and lets the environment overrule the file in either way', () => {
  const secret = write('again', DATABASE)
  expect(refusal({ DATABASE_URL: DATABASE, DATABASE_URL_FILE: secret })).toContain(
    'DATABASE_URL and DATABASE_URL_FILE are both set.',
  )
  const settings = write('both.env', `DATABASE_URL_FILE=${write('other', 'postgres://other/y')}\n`)
  expect(read({ SETTINGS_FILE: settings, DATABASE_URL: DATABASE })).toMatchObject({ DATABASE_URL: DATABASE })
  const plain = write('plain.env', 'DATABASE_URL=postgres://other/y\n')
  expect(read({ SETTINGS_FILE: plain, DATABASE_URL_FILE: secret })).toMatchObject({ DATABASE_URL: DATABASE })
})

test('a file that is not there or empty is said once, by the name that led to it', () => {
  expect(refusal({ DATABASE_URL_FILE: join(FOLDER, 'nowhere') }).split('\n')).toEqual([
    'These settings cannot be used:',
    '  DATABASE_URL_FILE names a file that cannot be read (ENOENT).',
  ])
  expect(refusal({ DATABASE_URL_FILE: write('empty', '\n') })).toContain(
    'DATABASE_URL_FILE names a file that is empty.',
  )
  expect(refusal({ SETTINGS_FILE: join(FOLDER, 'nowhere'), DATABASE_URL: DATABASE })).toContain(
    'SETTINGS_FILE names a file that cannot be read (ENOENT).',
  )
})

test('what does not go together is told with the line too', () => {
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
