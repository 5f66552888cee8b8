import {
  EgressControl,
  OperatorEgresses,
  OperatorProviders,
  OperatorProvidersQuery,
  ProviderControl,
  SuspensionLift,
} from '@probity/contract/schemas/operators'
import { asOperator, type Db } from '@probity/database/connection/connect'
import { controlProvider, drainEgress, recordLiftedSuspension } from '@probity/database/operators/controls'
import { listProcesses } from '@probity/database/system/processes'
import { liftSuspension } from '@probity/redis/rate-limiter-state'
import type { Redis } from 'ioredis'
import type { Route } from '../http/route.ts'
import { lookAtEgresses, lookAtProviders } from './collect-providers.ts'
import { readWorkers } from './known-egresses.ts'

type ProvidersDependencies = {
  db: Db
  redis: Redis
  queuePrefix: string
}

const HOURS_USUAL = 24

/** Probe outcomes by provider, and the provider controls. */
export const manageProviders: Route<ProvidersDependencies> = async (app, services) => {
  const { db } = services
  const schema = { querystring: OperatorProvidersQuery, response: { 200: OperatorProviders } }
  app.get('/providers', { schema }, async ({ query: { hours = HOURS_USUAL } }) => ({
    hours,
    providers: await lookAtProviders(services, hours),
  }))

  app.post('/provider_controls', { schema: { body: ProviderControl } }, async ({ body }, reply) => {
    const { provider, is_paused: isPaused, rate_percent: ratePercent } = body
    await asOperator(db, (trx) => controlProvider(trx, provider, { isPaused, ratePercent }))
    return reply.code(204).send()
  })

  app.post('/providers/lift-suspension', { schema: { body: SuspensionLift } }, async ({ body }, reply) => {
    const { redis, queuePrefix } = services
    const { provider } = body
    await asOperator(db, async (trx) => {
      const { egresses } = readWorkers(await listProcesses(trx))
      await recordLiftedSuspension(trx, provider)
      // Before the transaction ends, so that a failure leaves no entry in the audit log.
      await liftSuspension(redis, queuePrefix, { provider, egresses: egresses.map(({ name }) => name) })
    })
    return reply.code(204).send()
  })
}

/** The egresses and their controls. */
export const manageEgresses: Route<ProvidersDependencies> = async (app, services) => {
  app.get('/egress', { schema: { response: { 200: OperatorEgresses } } }, async () => ({
    egresses: await lookAtEgresses(services),
  }))

  app.post(
    '/egress_controls',
    { schema: { body: EgressControl } },
    async ({ body: { egress, is_drained: isDrained } }, reply) => {
      await asOperator(services.db, (trx) => drainEgress(trx, egress, isDrained))
      return reply.code(204).send()
    },
  )
}
