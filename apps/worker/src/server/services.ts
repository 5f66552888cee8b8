import { randomUUID } from 'node:crypto'
import { getServers } from 'node:dns'
import { connect, type Db } from '@probity/database/connection/connect'
import { getSecret } from '@probity/database/system/processes'
import { rejectForeignSchema } from '@probity/database/system/schema-version'
import { openDomainLists } from '@probity/engine/domain/domain-lists'
import { createDomainLookup } from '@probity/engine/domain/facts'
import { type MailDns, openResolver } from '@probity/engine/domain/resolver'
import type { Network } from '@probity/engine/validate'
import { createFactsStore } from '@probity/redis/cache'
import { connectRedis } from '@probity/redis/connection'
import { domainFactsKey } from '@probity/redis/keys'
import type { AbuseLimits } from '@probity/settings/connection-settings'
import type { Traces } from '@probity/telemetry/span'
import { openTraces } from '@probity/telemetry/traces'
import { openStorage } from '@probity/uploads/open-storage'
import type { FileStorage } from '@probity/uploads/storage'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import manifest from '../../package.json' with { type: 'json' }
import { openReusableResults, type ReusableResults } from '../jobs/reusable-results.ts'
import { type EgressMonitor, openEgressMonitor } from '../probing/egress-monitor.ts'
import { instrumentDomains } from '../probing/instrumentation.ts'
import { openOperatorControls } from '../probing/operator-controls.ts'
import { openOptOuts } from '../probing/opt-outs.ts'
import { type OwnAddresses, openOwnAddresses } from '../probing/own-addresses.ts'
import { openProbeLog, openReplyLog } from '../probing/probe-log.ts'
import { openProbers, type Probers, type ProbingEnvironment } from '../probing/probers.ts'
import { openResolverMonitor, type ResolverMonitor } from '../probing/resolver-monitor.ts'
import { budgetZones } from '../probing/zone-budget.ts'
import { type FeedbackHistory, openFeedbackHistory } from '../validations/engine-input.ts'
import { openSettler, type Settler } from '../validations/record-results.ts'
import type { WorkerConfig } from './config.ts'
import { createPendingWorkCheck, type PendingWorkCheck } from './dispatch.ts'
import { type Meters, openMeters } from './metrics.ts'

/** Services of the processors, opened once per process. */
export type Services = {
  /** Unique among all worker processes, past ones included. */
  workerId: string
  db: Db
  redis: Redis
  /** The resolvers for all lookups. */
  dns: MailDns
  /** Domain lookup and lists of the engine; the prober depends on the egress. */
  network: Omit<Network, 'prober'>
  /** Reported delivery outcomes. */
  feedbackHistory: FeedbackHistory
  probers: Probers
  /** IP addresses that are never dialed, for mail or for webhooks. */
  ownAddresses: OwnAddresses
  /** Whether each egress reaches mail servers. */
  egressMonitor: EgressMonitor
  /** Whether the resolvers of this worker can be believed. */
  resolverMonitor: ResolverMonitor
  /** Names of the egresses. */
  egresses: string[]
  /** Undefined if the abuse limits are off. */
  abuseLimits: AbuseLimits | undefined
  settler: Settler
  /** Earlier results that jobs may use. */
  reusable: ReusableResults
  pendingWork: PendingWorkCheck
  /** Storage of uploaded files. */
  storage: FileStorage
  meters: Meters
  traces: Traces
  log: Logger
  close(): Promise<void>
}

export async function openServices(
  config: WorkerConfig,
  environment: ProbingEnvironment,
  { log, metrics }: { log: Logger; metrics: Registry },
): Promise<Services> {
  const db = await connectDatabase(config)
  const redis = connectRedis(config.redisUrl)
  const servers = config.dnsServers.length > 0 ? config.dnsServers : getServers()
  const dns = openResolver({ servers })
  const { resolverNames: names, timeFactor = 1 } = environment
  const resolverMonitor = await openResolverMonitor({ servers, names, timeFactor, metrics, log })
  const traces = await openTraces(config.traces, { kind: 'worker', version: manifest.version })
  const meters = openMeters(metrics)
  const { egresses, abuseLimits } = config
  const network = openNetwork(config, { dns, redis, meters, resolverMonitor, timeFactor })
  const secret = await getSecret(db, 'recent_results')
  const settler = openSettler({ db, redis, log, secret })
  const probing = await openProbing(config, environment, { db, dns, redis, meters, resolverMonitor, log })
  if (egresses.length === 0)
    log.warn('SMTP probing disabled: PROBITY_SMTP_HELO_NAME and PROBITY_SMTP_MAIL_FROM are not set')
  return {
    workerId: randomUUID(),
    db,
    redis,
    dns,
    network,
    feedbackHistory: openFeedbackHistory(db, { shared: config.sharesFeedback }),
    ...probing,
    resolverMonitor,
    egresses: egresses.map(({ name }) => name),
    abuseLimits,
    settler,
    reusable: openReusableResults({ redis, secret, log }),
    pendingWork: createPendingWorkCheck(db),
    storage: openStorage(config.storage),
    meters,
    traces,
    log,
    async close() {
      await probing.close()
      await resolverMonitor.stop()
      redis.disconnect()
      await db.destroy()
      await traces.stop()
    },
  }
}

type ProbingParts = Pick<Services, 'db' | 'dns' | 'redis' | 'meters' | 'resolverMonitor' | 'log'>

/** The probers, the addresses that they never dial, and the state of their egresses. */
async function openProbing(config: WorkerConfig, environment: ProbingEnvironment, parts: ProbingParts) {
  const { db, dns, redis, meters, resolverMonitor, log } = parts
  const { egresses, queuePrefix: prefix } = config
  const replies = openReplyLog({ db, log })
  const probes = openProbeLog({ db, log, meters })
  const controls = await openOperatorControls({ db, log })
  const optOuts = await openOptOuts({ db, log })
  const { providerLimits, egressChecks, timeFactor = 1, addressLimits = config.addressLimits } = environment
  const ownAddresses = await openOwnAddresses({ egresses, dns, log })
  const policy = ownAddresses.except(environment.policy)
  const egressMonitor = await openEgressMonitor({ egresses, dns, policy, egressChecks, log })
  const around = { redis, prefix, replies, probes, controls, optOuts, egressMonitor, meters, log }
  const dnsOfHosts = resolverMonitor.guard(dns)
  const probers = openProbers({
    policy,
    providerLimits,
    addressLimits,
    timeFactor,
    egresses,
    dns: dnsOfHosts,
    ...around,
  })
  return {
    probers,
    ownAddresses,
    egressMonitor,
    async close() {
      await probers.close()
      await Promise.all([replies, probes, controls, optOuts, egressMonitor, ownAddresses].map((one) => one.stop()))
    },
  }
}

type NetworkParts = Pick<Services, 'dns' | 'redis' | 'meters' | 'resolverMonitor'> & { timeFactor: number }

function openNetwork(config: WorkerConfig, parts: NetworkParts): Services['network'] {
  const { dns, redis, meters, resolverMonitor, timeFactor } = parts
  const { abuseLimits, listsFolder, queuePrefix: prefix } = config
  const domainDns = abuseLimits ? budgetZones(dns, { redis, prefix, meters }) : dns
  const store = createFactsStore(redis, domainFactsKey)
  const domains = createDomainLookup({ dns: domainDns, store, resolverCheck: resolverMonitor.check, timeFactor })
  return {
    timeFactor,
    domains: instrumentDomains(domains, meters),
    lists: openDomainLists(listsFolder === undefined ? {} : { folder: listsFolder }),
  }
}

async function connectDatabase({ databaseUrl, databaseConnections }: WorkerConfig): Promise<Db> {
  const db = connect(databaseUrl, {
    connectionsMax: databaseConnections,
    applicationName: 'probity-worker',
    programRole: 'probity_worker',
  })
  await rejectForeignSchema(db).catch(async (error: unknown) => {
    await db.destroy()
    throw error
  })
  return db
}
