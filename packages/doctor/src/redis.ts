import type { Finding } from '@probity/contract/constants/operators'
import { fail, guard, pass, warn } from './finding.ts'
import type { Patient } from './patient.ts'

const VERSION_MIN = 7

/** Checks the Redis configuration. INFO is enough, and managed services often disable CONFIG. */
export function examineRedis({ redis }: Pick<Patient, 'redis'>): Promise<Finding[]> {
  return guard(['redis-version', 'redis-eviction', 'redis-saving'], async () => {
    const info = readInfo(await redis.info())
    return [judgeVersion(info), judgeEviction(info), judgeSaving(info)]
  })
}

type Info = Record<string, string>

function readInfo(text: string): Info {
  return Object.fromEntries(
    [...text.matchAll(/^([a-z0-9_]+):(.*?)\r?$/gm)].map(([, name = '', value = '']) => [name, value]),
  )
}

function judgeVersion({ redis_version: version = 'unknown' }: Info): Finding {
  const saw = `Redis ${version}.`
  if (Number.parseInt(version, 10) >= VERSION_MIN) return pass('redis-version', { saw })
  return fail('redis-version', {
    saw,
    says: `Upgrade to version ${VERSION_MIN} or later. No data migration is needed.`,
  })
}

function judgeEviction({ maxmemory_policy: policy = 'unknown', maxmemory = '0' }: Info): Finding {
  const bound = maxmemory === '0' ? 'no memory limit' : `a memory limit of ${maxmemory} bytes`
  const saw = `maxmemory-policy is ${policy}, with ${bound}.`
  if (policy === 'noeviction') return pass('redis-eviction', { saw })
  const says = 'Set it now, and in redis.conf so that it survives a restart.'
  const lines = ['redis-cli config set maxmemory-policy noeviction', 'maxmemory-policy noeviction']
  // Without a memory limit nothing is evicted yet; it would be as soon as one is set.
  return maxmemory === '0' ? warn('redis-eviction', { saw, says, lines }) : fail('redis-eviction', { saw, says, lines })
}

function judgeSaving({
  rdb_last_bgsave_status: saved = 'ok',
  aof_last_write_status: written = 'ok',
  aof_enabled,
}: Info): Finding {
  const saw = `Last save to disk: ${saved}. Append-only file: ${aof_enabled === '1' ? `on, last write: ${written}` : 'off'}.`
  if (saved === 'ok' && written === 'ok') return pass('redis-saving', { saw })
  const says =
    'Check that the Redis folder exists, is writable and has free space. Or disable saving: Probity does not need Redis data to be durable.'
  const lines = ['redis-cli config get dir', 'redis-cli config set save ""', 'redis-cli config set appendonly no']
  return fail('redis-saving', { saw, says, lines })
}
