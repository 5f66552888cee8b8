import { createServer, type RequestListener, type Server } from 'node:http'
import { registerAjvFormats } from '@fastify/type-provider-typebox'
import { type FastifyInstance, fastify, LogController } from 'fastify'
import { showAccount } from '../accounts/account.ts'
import { createErasure } from '../accounts/erasures/erasures.ts'
import { createKey } from '../accounts/keys/create.ts'
import { manageKey } from '../accounts/keys/key.ts'
import { listKeys } from '../accounts/keys/list.ts'
import { rotateKey } from '../accounts/keys/rotate.ts'
import { addOverrides } from '../accounts/overrides/add.ts'
import { listOverrides } from '../accounts/overrides/list.ts'
import { manageOverride } from '../accounts/overrides/override.ts'
import { showOverview } from '../accounts/overview.ts'
import { createPolicy } from '../accounts/policies/create.ts'
import { listPolicies } from '../accounts/policies/list.ts'
import { managePolicy } from '../accounts/policies/policy.ts'
import { showProviderHealth } from '../accounts/provider-health.ts'
import { showRequests } from '../accounts/requests.ts'
import { showUsage } from '../accounts/usage.ts'
import { showLedger } from '../billing/ledger.ts'
import { stripeEvents } from '../billing/stripe-events.ts'
import { reportFeedback } from '../feedback/feedback.ts'
import { showModel } from '../feedback/model.ts'
import { collectMethods } from '../http/allowed-methods.ts'
import { answerClientError } from '../http/client-error.ts'
import { checkRequests, writeAnswers } from '../http/compile-late.ts'
import { sendDeprecations } from '../http/deprecation.ts'
import { acceptEmptyBodies } from '../http/empty-body.ts'
import { rememberRoutes } from '../http/known-route.ts'
import { networkOf } from '../http/networks.ts'
import { processInOrder } from '../http/pipelining.ts'
import { answerError, answerMissing } from '../http/problem.ts'
import { newRequestId } from '../http/request-id.ts'
import type { Route } from '../http/route.ts'
import { commonHeaders } from '../http/security-headers.ts'
import { confirmUpload } from '../jobs/confirm.ts'
import { controlJob } from '../jobs/control.ts'
import { streamEvents } from '../jobs/events.ts'
import { showJob } from '../jobs/job.ts'
import { listJobs } from '../jobs/jobs.ts'
import { showBreakdown } from '../jobs/results/breakdown.ts'
import { showResult } from '../jobs/results/result.ts'
import { listResults } from '../jobs/results/results.ts'
import { previewUpload } from '../jobs/uploads/preview.ts'
import { manageUpload } from '../jobs/uploads/upload.ts'
import { listUploads } from '../jobs/uploads/uploads.ts'
import { serveMcp } from '../mcp/mcp.ts'
import { noteActor } from '../middleware/authentication/actor.ts'
import { authenticate, refuseForbidden, STRANGERS } from '../middleware/authentication/authenticate.ts'
import { logKeyUse } from '../middleware/authentication/key-use.ts'
import { preflight } from '../middleware/authentication/preflight.ts'
import { honorIdempotencyKeys } from '../middleware/idempotency/idempotency.ts'
import { limitInFlight } from '../middleware/load-shedding/in-flight-limit.ts'
import { openTurnAway } from '../middleware/load-shedding/load-shedder.ts'
import { limitConnections, limitUnfinished, readNetworkLimits } from '../middleware/load-shedding/network-limits.ts'
import { limitSlowBodies } from '../middleware/load-shedding/slow-body.ts'
import { limitTime } from '../middleware/load-shedding/time-limits.ts'
import { rateHeaders } from '../middleware/rate-limit/rate-headers.ts'
import { logRequests } from '../middleware/request-log/record-requests.ts'
import { traceRequests } from '../middleware/request-log/trace-requests.ts'
import { serveRoutes } from '../middleware/serve-routes.ts'
import { receiveDoctor } from '../operators/doctor-ticket.ts'
import { docsPages } from '../static/docs-pages.ts'
import { reference } from '../static/reference.ts'
import { webPages } from '../static/web-pages.ts'
import { validateBulk } from '../validations/bulk.ts'
import { decideOnAddress } from '../validations/decision.ts'
import { validateSingle } from '../validations/single.ts'
import { showValidation } from '../validations/stored.ts'
import { manageCallbackSecret } from '../webhooks/callback-secret.ts'
import { createWebhook } from '../webhooks/create.ts'
import { listDeliveries } from '../webhooks/deliveries.ts'
import { manageDelivery } from '../webhooks/delivery.ts'
import { showCallback } from '../webhooks/job-callback.ts'
import { listWebhooks } from '../webhooks/list.ts'
import { rotateWebhook } from '../webhooks/rotate.ts'
import { sendTest } from '../webhooks/send-test.ts'
import { streamAllEvents } from '../webhooks/stream.ts'
import { manageWebhook } from '../webhooks/webhook.ts'
import type { ApiConfig } from './config.ts'
import { health } from './health.ts'
import { countRequests, openRequestCounts, type RequestCounts } from './metrics/count-requests.ts'
import { describeApi } from './openapi.ts'
import { finishDocument, type OpenApiDocument } from './openapi-document.ts'
import type { Services } from './services.ts'
import { serveApp } from './web-app-routes.ts'

/** What is served under /api/v1, in the order of the reference, and to people under /app/api. */
export const API_ROUTES: Route<Services>[] = [
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
  routes: Route<Services>[] = API_ROUTES,
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
  await app.register(reference, { getDocument: () => finishDocument(app.swagger() as unknown as OpenApiDocument) })
  await app.register(preflight, services)
  await app.register(docsPages, { docsFolder: config.docsFolder })
  await app.register(webPages, { webFolder: config.webFolder })
  await app.register(
    async (api) => {
      api.addHook('onResponse', logKeyUse(services))
      api.addHook('onResponse', logRequests(services))
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
  app.decorateRequest('rateLimit')
  app.decorateReply('logged')
  app.decorateRequest('problemCode')
  app.decorateRequest('arrivedAt', 0)
  app.addHook('onRequest', (request, reply, done) => {
    request.arrivedAt = performance.now()
    reply.headers(commonHeaders(request.url))
    done()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    reply.header('request-id', request.id)
    reply.headers(rateHeaders(request.rateLimit?.state ?? strangers.look(networkOf(request.ip), STRANGERS)))
    // Files and errors say it too, which have no field for it.
    if (request.auth) reply.header('livemode', String(request.auth.mode === 'live'))
    if (stopping.aborted) reply.header('connection', 'close')
    done(null, payload)
  })
  app.addHook('onResponse', (request, reply, done) => {
    // The route's pattern and never the URL: that may hold an address.
    const { id: requestId, method, route, auth, person } = request
    const level = route.config.alwaysAnswered ? 'debug' : 'info'
    const line = {
      requestId,
      method,
      route: route.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    }
    const who = { accountId: auth?.accountId, keyId: auth?.id ?? undefined, personId: person?.userId }
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
