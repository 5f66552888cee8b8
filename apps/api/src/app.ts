import { createServer, type RequestListener, type Server } from 'node:http'
import { registerAjvFormats } from '@fastify/type-provider-typebox'
import { type FastifyInstance, fastify, LogController } from 'fastify'
import { serveApp } from './app-routes.ts'
import { answerClientError } from './client-error.ts'
import { checkRequests, writeAnswers } from './compile-late.ts'
import type { ApiConfig } from './config.ts'
import { sendDeprecations } from './deprecation.ts'
import { noteActor } from './door/actor.ts'
import { collectMethods } from './door/allowed-methods.ts'
import { authenticate, refuseForbidden, STRANGERS } from './door/authenticate.ts'
import { limitConnections, limitUnfinished, readNetworkLimits } from './door/client-networks.ts'
import { acceptEmptyBodies } from './door/empty-body.ts'
import { honorIdempotencyKeys } from './door/idempotency.ts'
import { limitInFlight } from './door/in-flight.ts'
import { noteAnswers } from './door/key-use.ts'
import { rememberRoutes } from './door/known-route.ts'
import { networkOf } from './door/network.ts'
import { noteRequests } from './door/note-requests.ts'
import { processInOrder } from './door/pipelining.ts'
import { preflight } from './door/preflight.ts'
import { rateHeaders } from './door/rate-headers.ts'
import { commonHeaders } from './door/security-headers.ts'
import { limitSlowBodies } from './door/slow-body.ts'
import { limitTime } from './door/time-limits.ts'
import { traceRequests } from './door/trace-requests.ts'
import { openTurnAway } from './door/turn-away.ts'
import { countRequests, openRequestCounts, type RequestCounts } from './metrics/count-requests.ts'
import { describeApi } from './openapi.ts'
import { answerError, answerMissing } from './problem.ts'
import { newRequestId } from './request-id.ts'
import type { Route } from './route.ts'
import { showAccount } from './routes/account.ts'
import { stripeEvents } from './routes/billing/stripe-events.ts'
import { showBreakdown } from './routes/bulk/breakdown.ts'
import { showCallback } from './routes/bulk/callback.ts'
import { confirmUpload } from './routes/bulk/confirm.ts'
import { controlJob } from './routes/bulk/control.ts'
import { streamEvents } from './routes/bulk/events.ts'
import { showJob } from './routes/bulk/job.ts'
import { listJobs } from './routes/bulk/jobs.ts'
import { previewUpload } from './routes/bulk/preview.ts'
import { showResult } from './routes/bulk/result.ts'
import { listResults } from './routes/bulk/results.ts'
import { manageUpload } from './routes/bulk/upload.ts'
import { listUploads } from './routes/bulk/uploads.ts'
import { docsPages } from './routes/docs-pages.ts'
import { receiveDoctor } from './routes/doctor.ts'
import { createErasure } from './routes/erasures.ts'
import { reportFeedback } from './routes/feedback.ts'
import { health } from './routes/health.ts'
import { createKey } from './routes/keys/create.ts'
import { manageKey } from './routes/keys/key.ts'
import { listKeys } from './routes/keys/list.ts'
import { rotateKey } from './routes/keys/rotate.ts'
import { showLedger } from './routes/ledger.ts'
import { serveMcp } from './routes/mcp.ts'
import { showModel } from './routes/model.ts'
import { addOverrides } from './routes/overrides/add.ts'
import { listOverrides } from './routes/overrides/list.ts'
import { manageOverride } from './routes/overrides/override.ts'
import { showOverview } from './routes/overview.ts'
import { createPolicy } from './routes/policies/create.ts'
import { listPolicies } from './routes/policies/list.ts'
import { managePolicy } from './routes/policies/policy.ts'
import { showProviderHealth } from './routes/provider-health.ts'
import { reference } from './routes/reference.ts'
import { showRequests } from './routes/requests.ts'
import { showUsage } from './routes/usage.ts'
import { validateBulk } from './routes/validation/bulk.ts'
import { decideOnAddress } from './routes/validation/decision.ts'
import { showValidation } from './routes/validation/kept.ts'
import { validateSingle } from './routes/validation/single.ts'
import { webPages } from './routes/web-pages.ts'
import { manageCallbackSecret } from './routes/webhooks/callback-secret.ts'
import { createWebhook } from './routes/webhooks/create.ts'
import { listDeliveries } from './routes/webhooks/deliveries.ts'
import { manageDelivery } from './routes/webhooks/delivery.ts'
import { listWebhooks } from './routes/webhooks/list.ts'
import { rotateWebhook } from './routes/webhooks/rotate.ts'
import { sendTest } from './routes/webhooks/send-test.ts'
import { streamAllEvents } from './routes/webhooks/stream.ts'
import { manageWebhook } from './routes/webhooks/webhook.ts'
import { serveRoutes } from './serve-routes.ts'
import type { Services } from './services.ts'

/** What is served under /api/v1, in the order of the reference, and to people under /app/api. */
export const API_ROUTES: Route[] = [
  validateSingle,
  validateBulk,
  decideOnAddress,
  showValidation,
  previewUpload,
  listUploads,
  manageUpload,
  confirmUpload,
  listJobs,
  showJob,
  controlJob,
  streamEvents,
  showCallback,
  listResults,
  showResult,
  showBreakdown,
  reportFeedback,
  showModel,
  showAccount,
  manageCallbackSecret,
  createErasure,
  showUsage,
  showLedger,
  showRequests,
  showOverview,
  showProviderHealth,
  listPolicies,
  createPolicy,
  managePolicy,
  listOverrides,
  addOverrides,
  manageOverride,
  listKeys,
  createKey,
  manageKey,
  rotateKey,
  listWebhooks,
  createWebhook,
  manageWebhook,
  rotateWebhook,
  sendTest,
  listDeliveries,
  manageDelivery,
  streamAllEvents,
]

/** The whole HTTP side, not yet listening. Tests hand in routes of their own beside ours. */
export async function buildApp(
  config: ApiConfig,
  services: Services,
  routes: Route[] = API_ROUTES,
): Promise<FastifyInstance> {
  const counts = openRequestCounts(services.metrics)
  const app = newServer(config, services, counts)
  rememberRoutes(app)
  collectMethods(app)
  acceptEmptyBodies(app)
  countRequests(app, counts)
  traceRequests(app, services.traces)
  sendCommonHeaders(app, services)
  const networks = readNetworkLimits(config.limits, config.trustedProxies)
  limitConnections(app.server, networks)
  limitUnfinished(app, networks)
  limitInFlight(app, services.crowd)
  limitSlowBodies(app, config.limits)
  limitTime(app, config.limits)
  sendDeprecations(app)
  await describeApi(app, config)
  await app.register(health, services)
  await app.register(stripeEvents, services)
  await app.register(receiveDoctor, services)
  await app.register(reference)
  await app.register(preflight, services)
  await app.register(docsPages, { docsFolder: config.docsFolder })
  await app.register(webPages, { webFolder: config.webFolder })
  await app.register(
    async (api) => {
      api.addHook('onResponse', noteAnswers(services))
      api.addHook('onResponse', noteRequests(services))
      api.addHook('preHandler', noteActor)
      honorIdempotencyKeys(api, services)
      await serveRoutes(api, services, { recognise: authenticate(services), refuse: refuseForbidden }, routes)
    },
    { prefix: '/api/v1' },
  )
  await app.register((mcp) => serveMcp(mcp, config, services))
  await app.register((web) => serveApp(web, config, services, routes), { prefix: '/app/api' })
  return app
}

function newServer({ limits, trustedProxies }: ApiConfig, services: Services, counts: RequestCounts): FastifyInstance {
  registerAjvFormats()
  const turnAway = openTurnAway(services, counts.turnedAway)
  const app = fastify({
    loggerInstance: services.log,
    // Fastify's own lines hold the URL, and with it whatever address is in the query.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newRequestId,
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
    bodyLimit: limits.bodyBytesMax,
    return503OnClosing: false, // whoever got through before we stopped listening is served
    serverFactory: (handle) => listenWith(processInOrder(turnAway.before(handle)), limits),
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply),
    routerOptions: { maxParamLength: 100 },
  })
  turnAway.learn(app)
  app.setValidatorCompiler(checkRequests)
  app.setSerializerCompiler(writeAnswers)
  app.setErrorHandler(answerError)
  app.setNotFoundHandler(answerMissing)
  return app
}

function listenWith(listener: RequestListener, limits: ApiConfig['limits']): Server {
  const options = {
    requestTimeout: limits.uploadTimeoutMs, // of the slowest route; slow-body.ts has that of the others
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxHeaderSize: limits.headerBytesMax,
    headersTimeout: limits.headersTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, limits.headersTimeoutMs),
  }
  const server = createServer(options, listener)
  server.maxRequestsPerSocket = limits.requestsPerSocketMax
  return server
}

// These run for every request, and as callbacks: a promise for each would cost as much as the work itself.
function sendCommonHeaders(app: FastifyInstance, { strangers, stopping, log }: Services): void {
  app.decorateRequest('rate')
  app.decorateRequest('problemCode')
  app.decorateRequest('arrivedAt', 0)
  app.addHook('onRequest', (request, reply, done) => {
    request.arrivedAt = performance.now()
    reply.headers(commonHeaders(request.url))
    done()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    reply.header('request-id', request.id)
    reply.headers(rateHeaders(request.rate ?? strangers.look(networkOf(request.ip), STRANGERS)))
    // Files and errors say it too, which have no field for it.
    if (request.caller) reply.header('livemode', String(request.caller.mode === 'live'))
    if (stopping.aborted) reply.header('connection', 'close')
    done(null, payload)
  })
  app.addHook('onResponse', (request, reply, done) => {
    // The route's pattern and never the URL: that may hold an address.
    const { id: requestId, method, route, caller, person } = request
    const level = route.config.alwaysAnswered ? 'debug' : 'info'
    const line = {
      requestId,
      method,
      route: route.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    }
    const who = { accountId: caller?.accountId, keyId: caller?.id ?? undefined, personId: person?.userId }
    log[level]({ ...line, ...who }, 'answered')
    done()
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    /** When the request came, by the process's own clock. */
    arrivedAt: number
  }
}
