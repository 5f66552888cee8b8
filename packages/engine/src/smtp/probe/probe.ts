import type { MailHost } from '../../domain/mail-hosts.ts'
import { changeConnection, type Site, type SmtpConnection, siteKey } from '../connections/connection.ts'
import type { ConnectFailure } from '../connections/open-connection.ts'
import type { DomainBlock } from '../connections/probe-cache.ts'
import { errorsLeft, isWorthReusing, remainingRecipients } from '../connections/recipient-window.ts'
import { limitsFor } from '../providers/limits.ts'
import { sendRecipients } from './conversation.ts'
import { applyEffects } from './effects.ts'
import { finishProbe } from './finish.ts'
import { findConfirmation, hostsToProbe, nextControl, nextRecipients } from './next-recipients.ts'
import { applyConnectFailure, applyExchange, applyFailover, applyThrottle } from './outcome.ts'
import type { OutcomeContext } from './rejection.ts'
import type { ProbeNetwork, ProbeRequest, Recipient } from './request.ts'
import type { ProbeResult } from './result.ts'
import { skipUtf8, startProbe } from './start.ts'
import { getHost, listOpen, type ProbeState, type ProbeTime, recordNoResponse } from './state.ts'

/** Connections in a row without a reply; then the open recipients stay without a result. */
const SILENT_CONNECTIONS_MAX = 2

/** The context of all steps of one probe. */
type Probe = { network: ProbeNetwork; domain: string; deadline: number; readTime(): ProbeTime; state: ProbeState }

/**
 * Probes the recipients of a domain: as many per connection as a host tolerates, and a control recipient where an acceptance has to be
 * proven. The results have the order of the recipients. A recipient without a reply has no verdict; it is never rejected for that.
 */
export async function probeDomain(request: ProbeRequest, network: ProbeNetwork): Promise<ProbeResult[]> {
  const { domain, provider, hosts, recipients, deadline } = request
  const known = await network.probeCache.readDomain(domain)
  const readTime = startClock(deadline)
  const site = { key: siteKey(provider, hosts), provider, hosts, limits: limitsFor(provider, network.providerLimits) }
  const isReachable = network.isReachable?.() !== false
  const state = startProbe({ domain, site, recipients, known, isReachable }, readTime())
  const blockedMs = blockedForMs(known.block, network.egress.name)
  if (blockedMs > 0) applyThrottle(state, { retryAfterMs: blockedMs }, readTime())

  const probe: Probe = { network, domain, deadline, readTime, state }
  // At most one connection for each recipient, and some for hosts without a reply and for control recipients.
  let connectionsLeft = recipients.length + 2 * SILENT_CONNECTIONS_MAX + 2 * hosts.length
  while (connectionsLeft > 0 && (await probeOnce(probe))) connectionsLeft -= 1
  const { results, learned } = finishProbe(state, readTime())
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

function blockedForMs(block: DomainBlock | undefined, egress: string): number {
  return block?.egress === egress ? block.until * 1_000 - Date.now() : 0
}

/** Probes over one connection; false when nothing is left to do or no connection can be had. */
async function probeOnce(probe: Probe): Promise<boolean> {
  const { network, deadline, readTime, state } = probe
  if (state.silentConnections >= SILENT_CONNECTIONS_MAX || performance.now() >= deadline) return false
  const wanted = new Set(hostsToProbe(state))
  if (wanted.size === 0) return false

  const except = new Set(state.site.hosts.map(({ name }) => name).filter((name) => !wanted.has(name)))
  const acquired = await network.pool.acquire({ site: orderByProof(state), except, deadline })
  if (acquired.kind === 'connection') {
    for (const failure of acquired.failures) applyFailover(state, failure, contextOf(probe))
    await probeOver(acquired.connection, probe)
    return true
  }
  if (acquired.kind === 'throttled') applyThrottle(state, acquired.throttle, readTime())
  else await applyFailures(acquired.failures, probe)
  return false
}

/** Of hosts with the same preference, those that know their recipients come first. */
function orderByProof({ site, hosts }: ProbeState): Site {
  const isProven = ({ name }: MailHost) => (hosts.get(name)?.proof?.value === 'rejects' ? 0 : 1)
  const ordered = site.hosts.toSorted((a, b) => a.preference - b.preference || isProven(a) - isProven(b))
  return { ...site, hosts: ordered }
}

/** Sends recipients on one connection as long as it can be used, and returns it to the pool. */
async function probeOver(connection: SmtpConnection, probe: Probe): Promise<void> {
  const { network, deadline, readTime, state } = probe
  const { probed: probedBefore, host } = connection
  const [repliesBefore, settledBefore] = [state.replies, state.results.size]
  if (!connection.capabilities.utf8) skipUtf8(state, host, readTime())
  let isReusable = true
  while (isReusable && performance.now() < deadline) {
    const recipients = chooseRecipients(state, connection)
    if (recipients.length === 0) break
    const { egress, timeouts } = network
    const options = { sender: egress.mailFrom, domain: probe.domain, deadline, commandMs: timeouts.commandMs }
    const exchange = await sendRecipients(connection, recipients, options)
    const known = exchange.mailRejection ? await network.probeCache.readHost(host) : {}
    const outcome = applyExchange(state, exchange, { ...contextOf(probe), connection, known })
    changeConnection(connection, outcome.changes)
    await applyEffects(outcome.effects, network, probe.domain)
    isReusable = outcome.connection === 'reusable'
  }

  // The server may have closed an idle connection just when it was acquired: that says nothing about the server.
  const isStale = !isReusable && probedBefore > 0 && connection.probed === probedBefore
  const isSilent = state.replies === repliesBefore && state.results.size === settledBefore
  if (isReusable) network.pool.release(connection)
  else network.pool.discard(connection, deadline)
  if (isSilent && !isStale) recordNoResponse(state, host)
  else if (!isSilent) state.silentConnections = 0
}

/** The recipients for the next exchange; at the end of a connection one that proves an acceptance, or that checks doubtful rejections. */
function chooseRecipients(state: ProbeState, connection: SmtpConnection): Recipient[] {
  const host = getHost(state, connection.host)
  const left = remainingRecipients(connection)
  const isWorthIt = isWorthReusing(connection) || listOpen(state).length <= errorsLeft(connection)
  const next = isWorthIt ? nextRecipients(state, host.name, left) : []
  if (next.length > 0) return next

  const control = left > 0 ? nextControl(state, host) : undefined
  if (control) return [control]
  const confirmation = findConfirmation(state, host)
  // An honest server accepts it, so it needs none of the errors that are left.
  return confirmation && remainingRecipients(connection, { errors: 1 }) > 0 ? [confirmation] : []
}

async function applyFailures(failures: ConnectFailure[], probe: Probe): Promise<void> {
  const { network, domain, state } = probe
  for (const failure of failures) {
    const known = failure.kind === 'rejected' ? await network.probeCache.readHost(failure.host) : {}
    const outcome = applyConnectFailure(state, failure, { ...contextOf(probe), known })
    await applyEffects(outcome.effects, network, domain)
  }
}

function contextOf({ network, readTime }: Probe): OutcomeContext {
  const { egress, providerLimits, timeFactor = 1 } = network
  return { egress, providerLimits, timeFactor, time: readTime() }
}
