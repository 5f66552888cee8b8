import type { Finding } from '@probity/contract/doctor'
import { fail, guard, pass, warn } from './finding.ts'
import type { Patient } from './patient.ts'

const VERSION_MIN = 7

/** How Redis is set up. INFO tells it all, also where a hoster keeps CONFIG to itself. */
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
    says: `Move to version ${VERSION_MIN} or newer; nothing in it needs to be taken along.`,
  })
}

function judgeEviction({ maxmemory_policy: policy = 'unknown', maxmemory = '0' }: Info): Finding {
  const bound = maxmemory === '0' ? 'no bound on its memory' : `a bound of ${maxmemory} bytes`
  const saw = `maxmemory-policy is ${policy}, with ${bound}.`
  if (policy === 'noeviction') return pass('redis-eviction', { saw })
  const says = 'Set it now, and in redis.conf so that it stays.'
  const lines = ['redis-cli config set maxmemory-policy noeviction', 'maxmemory-policy noeviction']
  // Without a bound nothing is thrown away yet; the day somebody sets one, it is.
  return maxmemory === '0' ? warn('redis-eviction', { saw, says, lines }) : fail('redis-eviction', { saw, says, lines })
}

function judgeSaving({
  rdb_last_bgsave_status: saved = 'ok',
  aof_last_write_status: written = 'ok',
  aof_enabled,
}: Info): Finding {
  const saw = `The last save to disk: ${saved}. The log of writes is ${aof_enabled === '1' ? `on: ${written}` : 'off'}.`
  if (saved === 'ok' && written === 'ok') return pass('redis-saving', { saw })
  const says =
    'See that its folder is there, may be written to and has room. Or let it save nothing: what it holds can be lost.'
  const lines = ['redis-cli config get dir', 'redis-cli config set save ""', 'redis-cli config set appendonly no']
  return fail('redis-saving', { saw, says, lines })
}
