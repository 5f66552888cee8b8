import { healthSentence, type ProviderHealth, type ProviderTrouble } from '@probity/contract/provider-health'
import { listSuspensions, type Suspension } from '@probity/queue/suspensions'
import type { Redis } from 'ioredis'

/** How providers treat us, as the workers have noted it. Without Redis nobody can say. */
export async function readProviderHealth(redis: Redis, prefix: string): Promise<ProviderHealth> {
  const suspensions = await listSuspensions(redis, prefix).catch(() => undefined)
  if (suspensions === undefined) return withSentence('unknown', [])
  const providers = gather(suspensions)
  return withSentence(providers.length > 0 ? 'limited' : 'normal', providers)
}

function withSentence(status: string, providers: ProviderTrouble[]): ProviderHealth {
  return { status, sentence: healthSentence({ status, providers }, (until) => timeOf(until)), providers }
}

/** Each provider once, whichever of our ways out it keeps away, and for as long as it does so for any. */
function gather(suspensions: Suspension[]): ProviderTrouble[] {
  const latest = suspensions.toSorted((a, b) => b.until.getTime() - a.until.getTime())
  const first = new Map(latest.toReversed().map((one) => [one.provider, one]))
  return latest
    .filter((one) => first.get(one.provider) === one)
    .map(({ provider, name, reason, until }) => ({ provider, name, reason, until: until.toISOString() }))
}

/** In UTC, with the day where it is another one. */
function timeOf(until: string, now = new Date()): string {
  const time = `${until.slice(11, 16)} UTC`
  return until.slice(0, 10) === now.toISOString().slice(0, 10) ? time : `${until.slice(0, 10)}, ${time}`
}
