import { expect, test } from 'vitest'
import { hasUntrustedInput, readConfig } from './config.ts'

const REQUIRED = { DATABASE_URL: 'postgres://worker@localhost/probity', REDIS_URL: 'redis://localhost' }

test('a worker runs validations, jobs and webhooks by default', () => {
  const { tasks } = readConfig(REQUIRED)
  expect(tasks).toEqual(['validations', 'jobs', 'webhooks'])
  expect(hasUntrustedInput(tasks)).toBe(true)
})

test('a process for maintenance and notifications has its own login and metrics port', () => {
  const config = readConfig({
    ...REQUIRED,
    WORKER_TASKS: 'notifications, maintenance',
    DATABASE_MAINTENANCE_URL: 'postgres://maintenance@localhost/probity',
    WORKER_METRICS_PORT: '9465',
    MAINTENANCE_METRICS_PORT: '9466',
    MAIL_URL: 'smtp://localhost',
    PUBLIC_URL: 'https://probity.example',
  })
  expect(config).toMatchObject({
    tasks: ['maintenance', 'notifications'],
    maintenanceUrl: 'postgres://maintenance@localhost/probity',
    metrics: { port: 9466 },
    mail: { url: 'smtp://localhost' },
  })
  expect(hasUntrustedInput(config.tasks)).toBe(false)
})

test('a process rejects the secrets of other programs and of tasks that it does not run', () => {
  const rejects = (changes: Record<string, string>) => () => readConfig({ ...REQUIRED, ...changes })
  const secrets = {
    STRIPE_SECRET_KEY: 'sk_live_1',
    SESSION_SECRET: 'x'.repeat(32),
    DATABASE_OWNER_URL: 'postgres://o@db/x',
  }
  for (const [name, value] of Object.entries(secrets)) {
    expect(rejects({ [name]: value })).toThrow(`${name} is a secret that this process does not use`)
  }
  expect(rejects({ MAIL_URL: 'smtp://relay' })).toThrow('MAIL_URL is a secret')
  const background = { WORKER_TASKS: 'maintenance' }
  expect(rejects({ ...background, MAIL_URL: 'smtp://relay' })).toThrow('MAIL_URL is a secret')
  expect(rejects({ ...background, SMTP_EGRESS: 'a.example=192.0.2.1' })).toThrow('SMTP_EGRESS is a secret')
  const all = {
    WORKER_TASKS: 'validations,jobs,webhooks,maintenance,notifications',
    PUBLIC_URL: 'https://probity.example',
  }
  expect(rejects({ ...all, MAIL_URL: 'smtp://relay' })).not.toThrow()
})

test('a process does not open secret files of tasks that it does not run', () => {
  const files = { MAIL_URL_FILE: '/nowhere/mail_url', DATABASE_MAINTENANCE_URL_FILE: '/nowhere/database_url' }
  expect(readConfig({ ...REQUIRED, ...files }).mail).toBeUndefined()
  expect(() => readConfig({ ...REQUIRED, ...files, WORKER_TASKS: 'notifications' })).toThrow('MAIL_URL')
})

test.each(['', 'validation', 'jobs,,webhooks', 'jobs webhooks'])(
  'WORKER_TASKS %j is rejected or the default',
  (text) => {
    const read = () => readConfig({ ...REQUIRED, WORKER_TASKS: text })
    if (text === '') expect(read().tasks).toHaveLength(3)
    else expect(read).toThrow('WORKER_TASKS is not valid')
  },
)
