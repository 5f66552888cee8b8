import { startInterval } from '@probity/concurrency/scheduling'
import type { ResolverNames } from '@probity/engine/domain/data/known-domains'
import type { MailDns } from '@probity/engine/domain/resolver'
import { createResolverCheck, type ResolverCheck, rejectUntrusted } from '@probity/engine/domain/resolver-check'
import type { Logger } from 'pino'
import { Gauge, type Registry } from 'prom-client'

/** Whether the resolvers of this worker pass their check. */
export type ResolverMonitor = {
  /** Undefined if the environment has no names to check with. */
  check: ResolverCheck | undefined
  /** A resolver whose responses without records count only while the check passes. */
  guard(dns: MailDns): MailDns
  isTrusted(): boolean
  /** Called after every change of `isTrusted`. */
  whenChanged(tell: () => void): void
  stop(): Promise<void>
}

/** The check itself decides whether it is due. Without traffic, this keeps its result at most so much older. */
const EVERY_MS = 10_000

type Options = {
  servers: string[]
  names: ResolverNames | undefined
  timeFactor: number | undefined
  metrics: Registry
  log: Logger
}

/** The first check completes before this resolves, so that the first heartbeat reports a known state. */
export async function openResolverMonitor({
  servers,
  names,
  timeFactor = 1,
  metrics,
  log,
}: Options): Promise<ResolverMonitor> {
  let tell = () => {}
  let hasFailed = false
  const check =
    names &&
    createResolverCheck({
      servers,
      names,
      timeFactor,
      report(state) {
        if (state.kind === 'untrusted') {
          hasFailed = true
          log.warn({ faults: state.faults }, 'resolver failed its check: absent domains are unknown')
        } else if (hasFailed) log.info('resolver recovered: it passed its check')
        tell()
      },
    })
  const isTrusted = () => check === undefined || check.state().kind === 'trusted'
  publishTrust(metrics, isTrusted)
  await check?.isTrusted()
  const interval =
    check &&
    startInterval(EVERY_MS, async () => void (await check.isTrusted()), {
      delayFirst: true,
      onError: (error) => log.warn({ err: error }, 'checking the resolvers failed; retrying'),
    })
  return {
    check,
    guard: (dns) => (check ? rejectUntrusted(dns, check) : dns),
    isTrusted,
    whenChanged(listener) {
      tell = listener
    },
    stop: async () => void (await interval?.stop()),
  }
}

function publishTrust(registry: Registry, isTrusted: () => boolean): void {
  const gauge: Gauge = new Gauge({
    name: 'probity_resolver_trusted',
    help: 'Whether the DNS resolvers of this worker passed their last check: 1 or 0.',
    registers: [registry],
    collect: () => gauge.set(isTrusted() ? 1 : 0),
  })
}
