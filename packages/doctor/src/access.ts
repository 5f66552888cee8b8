import type { Finding } from '@probity/contract/constants/operators'
import { listOtherRoles } from '@probity/database/system/server-settings'
import { guard, pass, warn } from './finding.ts'
import type { Patient } from './patient.ts'

type Access = Pick<Patient, 'db' | 'redis' | 'publicUrl'>

/** Checks the worker's database login and the Redis password. A development machine needs neither. */
export async function examineAccess({ db, redis, publicUrl }: Access): Promise<Finding[]> {
  const isLocal = publicUrl === undefined || LOOPBACK.test(new URL(publicUrl).hostname)
  const found = await Promise.all([
    guard(['worker-login'], async () => {
      if (db.programRole !== 'probity_worker') return [pass('worker-login', { saw: 'Workers check their own login.' })]
      return [judgeLogin(await listOtherRoles(db), isLocal)]
    }),
    guard(['redis-password'], async () => {
      await redis.ping()
      return [judgePassword(Boolean(redis.options.password), isLocal)]
    }),
  ])
  return found.flat()
}

/** RFC 6761 section 6.3, RFC 1122 section 3.2.1.3 and RFC 4291 section 2.5.3. */
const LOOPBACK = /^((.+\.)?localhost|127(\.\d{1,3}){3}|\[::1\])$/i
const LOCAL_ONLY = 'PROBITY_PUBLIC_URL is not set or is on this host only.'

function judgeLogin(roles: string[], isLocal: boolean): Finding {
  if (roles.length === 0) return pass('worker-login', { saw: 'The login can switch to the role probity_worker only.' })
  const saw = `The login can also switch to ${roles.join(', ')}.`
  if (isLocal) return pass('worker-login', { saw: `${saw} ${LOCAL_ONLY}` })
  const lines = [
    "create role probity_worker_login login noinherit password 'choose one' in role probity_worker;",
    'grant connect on database probity to probity_worker_login;',
  ]
  return warn('worker-login', {
    saw,
    says: 'Create a separate login with psql and set it in the PROBITY_DATABASE_URL of the worker:',
    lines,
  })
}

function judgePassword(hasPassword: boolean, isLocal: boolean): Finding {
  if (hasPassword) return pass('redis-password', { saw: 'PROBITY_REDIS_URL has a password.' })
  const saw = 'PROBITY_REDIS_URL has no password.'
  if (isLocal) return pass('redis-password', { saw: `${saw} ${LOCAL_ONLY}` })
  const says = 'Set a password in redis.conf, restart Redis, and add the password to PROBITY_REDIS_URL:'
  const lines = ['requirepass choose-one', 'PROBITY_REDIS_URL=redis://:choose-one@127.0.0.1:6379']
  return warn('redis-password', { saw, says, lines })
}
