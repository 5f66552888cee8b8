import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type Login, PATH } from './users.ts'

/** The volume of the image `solo`. */
export const DATA = '/data'
const SECRETS = `${DATA}/secrets.json`

export type Passwords = Record<'owner' | 'api' | 'worker' | 'maintenance' | 'redis', string>

type Logins = Record<'probity' | 'postgres' | 'redis', Login>

/** Creates the folders, the passwords and the database cluster on an empty volume. What exists is kept. */
export function prepareData({ probity, postgres, redis }: Logins): Passwords {
  makeFolder(`${DATA}/postgres`, postgres, 0o700)
  makeFolder(`${DATA}/redis`, redis, 0o700)
  makeFolder(`${DATA}/uploads`, probity, 0o750)
  makeFolder(`${DATA}/backups`, probity, 0o700)
  makeFolder('/run/postgresql', postgres, 0o755)
  const passwords = makePasswords()
  const redisFile = `${DATA}/redis/redis.conf`
  const lines = ['bind 127.0.0.1', 'port 6379', `dir ${DATA}/redis`, `requirepass ${passwords.redis}`]
  writeFileSync(redisFile, `${lines.join('\n')}\n`, { mode: 0o400 })
  chownSync(redisFile, redis.uid, redis.gid)
  if (!existsSync(`${DATA}/postgres/PG_VERSION`)) initialize(postgres)
  return passwords
}

function makeFolder(path: string, { uid, gid }: Login, mode: number): void {
  mkdirSync(path, { recursive: true })
  chownSync(path, uid, gid)
  chmodSync(path, mode)
}

/** Only root can read them. The programs get them in their environment. */
export function readPasswords(): Passwords {
  return JSON.parse(readFileSync(SECRETS, 'utf8')) as Passwords
}

function makePasswords(): Passwords {
  if (existsSync(SECRETS)) return readPasswords()
  const [owner, api, worker, maintenance, redis] = Array.from({ length: 5 }, makePassword)
  const passwords = { owner, api, worker, maintenance, redis } as Passwords
  writeFileSync(`${SECRETS}.new`, JSON.stringify(passwords), { mode: 0o600 })
  renameSync(`${SECRETS}.new`, SECRETS)
  return passwords
}

const CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** 32 letters and digits, about 190 bits. */
function makePassword(): string {
  return Array.from({ length: 32 }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join('')
}

function initialize(postgres: Login): void {
  const options = ['--auth-local=peer', '--auth-host=scram-sha-256', '--encoding=UTF8', '--locale=C.UTF-8']
  execFileSync('/usr/lib/postgresql/17/bin/initdb', ['--pgdata', `${DATA}/postgres`, ...options], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH },
    ...postgres,
  })
}
