import type { ProbeNetwork } from './request.ts'
import type { Effect } from './state.ts'

/** So many domains that block an egress within ten minutes mean that the provider does, not the rule of one customer. */
const TENANT_BLOCKS_MAX = 3

/** Applies the effects of an outcome, in their order. */
export async function applyEffects(effects: Effect[], network: ProbeNetwork, domain: string): Promise<void> {
  for (const effect of effects) {
    switch (effect.kind) {
      case 'record_reply':
        network.recordReply?.(effect.reply)
        break
      case 'record_unclassified':
        network.recordUnclassified?.(effect.reply)
        break
      case 'slow_down':
        await network.rateLimiter.slowDown(effect.target)
        break
      case 'suspend':
        await network.rateLimiter.suspend(effect.target, effect.reason, effect.forMs)
        break
      case 'learn_host': {
        const written = network.probeCache.updateHost(effect.host, effect.profile)
        if (effect.when === 'now') await written
        break
      }
      case 'block_domain':
        await blockDomain(effect, network, domain)
    }
  }
}

type BlockDomain = Extract<Effect, { kind: 'block_domain' }>

async function blockDomain({ site, reason, forMs, escalated }: BlockDomain, network: ProbeNetwork, domain: string) {
  const { probeCache, egress } = network
  const at = Date.now() / 1_000
  await probeCache.updateDomain(domain, { block: { egress: egress.name, until: at + forMs / 1_000, reason } })
  const domains = await probeCache.countTenantBlock({ site, egress: egress.name, domain, at })
  if (domains >= TENANT_BLOCKS_MAX) await applyEffects(escalated, network, domain)
}
