import { changeConnection, type SmtpConnection, siteKey } from '../connections/connection.ts'
import type { ConnectFailure } from '../connections/open-connection.ts'
import { errorsLeft, isWorthReusing, remainingRecipients } from '../connections/recipient-window.ts'
import { limitsFor } from '../providers/limits.ts'
import { sendRecipients } from './conversation.ts'
import { applyConnectFailure, applyExchange, applyThrottle } from './outcome.ts'
import type { ProbeNetwork, ProbeRequest } from './request.ts'
import type { ProbeResult } from './result.ts'
import {
  type Effect,
  finishProbe,
  listOpen,
  nextRecipients,
  type ProbeState,
  type ProbeTime,
  recordNoResponse,
  skipUtf8,
  startProbe,
} from './state.ts'

/** Connections in a row without a reply; then the open recipients stay without a result. */
const SILENT_CONNECTIONS_MAX = 2

/** The context of all steps of one probe. */
type Probe = { network: ProbeNetwork; domain: string; deadline: number; readTime(): ProbeTime }

/**
 * Probes the recipients of a domain: those of the request first, as many per connection as the server tolerates, and at the end the control
 * recipient, if no reply has shown yet whether the domain is a catch-all. The results have the order of the recipients. A recipient
 * without a reply has no verdict; it is never rejected for that.
 */
export async function probeDomain(request: ProbeRequest, network: ProbeNetwork): Promise<ProbeResult[]> {
  const { domain, provider, hosts, recipients, deadline } = request
  const known = await network.probeCache.readDomain(domain)
  const probe: Probe = { network, domain, deadline, readTime: startClock(deadline) }
  const site = { key: siteKey(provider, hosts), provider, hosts, limits: limitsFor(provider, network.providerLimits) }
  const isReachable = network.isReachable?.() !== false
  let state = startProbe({ domain, site, recipients, known, isReachable }, probe.readTime())

  const connectionsMax = recipients.length + 2 * SILENT_CONNECTIONS_MAX
  for (let connections = 0; connections < connectionsMax && isUnfinished(state, deadline); connections += 1) {
    const acquired = await network.pool.acquire({ site, except: state.excludedHosts, deadline })
    if (acquired.kind === 'connection') {
      state = await probeOver(acquired.connection, state, probe)
      continue
    }
    const isThrottled = acquired.kind === 'throttled'
    if (isThrottled) state = applyThrottle(state, acquired.throttle, probe.readTime())
    else state = await applyFailures(state, acquired.failures, probe)
    break
  }
  const { results, learned } = finishProbe(state, probe.readTime())
  if (learned) await network.probeCache.updateDomain(domain, learned)
  return results
}

function startClock(deadline: number): () => ProbeTime {
  const began = performance.now()
  return () => {
    const now = performance.now()
    return { unixS: Date.now() / 1_000, elapsedMs: now - began, isLate: now >= deadline }
  }
}

function isUnfinished(state: ProbeState, deadline: number): boolean {
  if (state.silentConnections >= SILENT_CONNECTIONS_MAX || performance.now() >= deadline) return false
  return nextRecipients(state, 1).length > 0
}

/** Sends open recipients on one connection as long as it can be used, and returns it to the pool. */
async function probeOver(connection: SmtpConnection, before: ProbeState, probe: Probe): Promise<ProbeState> {
  const { network, deadline, readTime } = probe
  const probedBefore = connection.probed
  let state = connection.capabilities.utf8 ? before : skipUtf8(before, connection.host, readTime())
  let isReusable = true
  while (isReusable && performance.now() < deadline) {
    const recipients = nextRecipients(state, remainingRecipients(connection))
    const isWorthIt = isWorthReusing(connection) || listOpen(state).length <= errorsLeft(connection)
    if (recipients.length === 0 || !isWorthIt) break
    const { egress, providerLimits, timeouts } = network
    const options = { sender: egress.mailFrom, domain: probe.domain, deadline, commandMs: timeouts.commandMs }
    const exchange = await sendRecipients(connection, recipients, options)
    const known = exchange.mailRejection ? await network.probeCache.readHost(connection.host) : {}
    const context = { egress, providerLimits, time: readTime(), connection, known }
    const outcome = applyExchange(state, exchange, context)
    changeConnection(connection, outcome.changes)
    await applyEffects(outcome.effects, network)
    state = outcome.state
    isReusable = outcome.connection === 'reusable'
  }

  // The server may have closed an idle connection just when it was acquired: that says nothing about the server.
  const isStale = !isReusable && probedBefore > 0 && connection.probed === probedBefore
  const isSilent = state.results.size === before.results.size && state.control.kind === 'not_probed'
  if (isReusable) network.pool.release(connection)
  else network.pool.discard(connection, deadline)
  return isSilent && !isStale ? recordNoResponse(state, connection.host) : state
}

async function applyFailures(before: ProbeState, failures: ConnectFailure[], probe: Probe): Promise<ProbeState> {
  const { probeCache, egress, providerLimits } = probe.network
  let state = before
  for (const failure of failures) {
    const known = failure.kind === 'rejected' ? await probeCache.readHost(failure.host) : {}
    const outcome = applyConnectFailure(state, failure, { egress, providerLimits, time: probe.readTime(), known })
    await applyEffects(outcome.effects, probe.network)
    state = outcome.state
  }
  return state
}

/** Applies the effects of an outcome, in their order. */
async function applyEffects(effects: Effect[], network: ProbeNetwork): Promise<void> {
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
    }
  }
}
