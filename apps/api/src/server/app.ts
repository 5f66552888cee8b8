import { createServer, type RequestListener, type Server } from 'node:http'
import { registerAjvFormats } from '@fastify/type-provider-typebox'
import { PUBLIC_SANDBOX_KEY } from '@probity/contract/constants/sandbox'
import { type FastifyInstance, fastify, LogController } from 'fastify'
import { showAccount } from '../accounts/account.ts'
import { createErasure } from '../accounts/erasures/erasures.ts'
import { createKey, listKeys, manageKey, rotateKey } from '../accounts/keys/keys.ts'
import { addOverrides, listOverrides, manageOverride } from '../accounts/overrides/overrides.ts'
import { showOverview, showProviderHealth } from '../accounts/overview.ts'
import { createPolicy, listPolicies, managePolicy } from '../accounts/policies/policies.ts'
import { showRequests } from '../accounts/requests.ts'
import { showUsage } from '../accounts/usage.ts'
import { showLedger } from '../billing/ledger.ts'
import { stripeEvents } from '../billing/stripe-events.ts'
import { reportFeedback } from '../feedback/feedback.ts'
import { showModel } from '../feedback/model.ts'
import { checkRequests, writeResponses } from '../http/compile-late.ts'
import { sendDeprecations } from '../http/deprecation.ts'
import { collectMethods, rememberRoutes } from '../http/known-routes.ts'
import { networkOf } from '../http/networks.ts'
import { processInOrder } from '../http/pipelining.ts'
import { newRequestId, sendClientError, sendError, sendNotFound } from '../http/problem.ts'
import { acceptEmptyBodies } from '../http/request-body.ts'
import type { Route } from '../http/route.ts'
import { commonHeaders } from '../http/security-headers.ts'
import { confirmUpload } from '../jobs/confirm.ts'
import { streamEvents } from '../jobs/events.ts'
import { controlJob, listJobs, showJob } from '../jobs/jobs.ts'
import { createReportLink, manageReportLinks } from '../jobs/report-links.ts'
import { createRerun } from '../jobs/rerun.ts'
import { showComparison } from '../jobs/results/comparison.ts'
import { listResults, showBreakdown, showResult } from '../jobs/results/results.ts'
import {
  chooseHeader,
  chooseSheet,
  correctUpload,
  listNonAddresses,
  listSuggestions,
} from '../jobs/uploads/change-upload.ts'
import { previewUpload } from '../jobs/uploads/preview.ts'
import { listUploads, manageUpload } from '../jobs/uploads/uploads.ts'
import { serveMcp } from '../mcp/mcp.ts'
import { noteActor } from '../middleware/authentication/auth.ts'
import { authenticate, refuseForbidden, UNAUTHENTICATED } from '../middleware/authentication/authenticate.ts'
import { logKeyUse } from '../middleware/authentication/key-use.ts'
import { preflight } from '../middleware/authentication/origins.ts'
import { honorIdempotencyKeys } from '../middleware/idempotency/idempotency.ts'
import { limitInFlight, openLoadShedding } from '../middleware/load-shedding/in-flight-limit.ts'
import {
  limitConnections,
  limitUnfinished,
  markUnreadBodies,
  readNetworkLimits,
} from '../middleware/load-shedding/network-limits.ts'
import { limitSlowBodies, limitTime } from '../middleware/load-shedding/time-limits.ts'
import { rateHeaders } from '../middleware/rate-limit/rate-headers.ts'
import { logRequests } from '../middleware/request-log/request-log.ts'
import { traceRequests } from '../middleware/request-log/trace-requests.ts'
import { serveRoutes } from '../middleware/serve-routes.ts'
import { receiveDoctor } from '../operators/doctor.ts'
import { docsPages } from '../static/docs-pages.ts'
import { reference } from '../static/reference.ts'
import { webPages } from '../static/web-pages.ts'
import { validateBulk } from '../validations/bulk.ts'
import { decideOnAddress } from '../validations/decision.ts'
import { validateSingle } from '../validations/single.ts'
import { showValidation } from '../validations/stored.ts'
import { listDeliveries, manageDelivery } from '../webhooks/deliveries.ts'
import { manageCallbackSecret, showCallback } from '../webhooks/job-callback.ts'
import { streamAllEvents } from '../webhooks/stream.ts'
import { createWebhook, listWebhooks, manageWebhook, rotateWebhook, sendTest } from '../webhooks/webhooks.ts'
import type { ApiConfig } from './config.ts'
import { health } from './health.ts'
import { countRequests, openRequestCounts, type RequestCounts } from './metrics/count-requests.ts'
import { describeApi, finishDocument, type OpenApiDocument } from './openapi.ts'
import type { Services } from './services.ts'
import { serveApp } from './web-app-routes.ts'

/** Routes of /api/v1 in the order of the API reference, served to users under /app/api. */
export const API_ROUTES: Route<Services>[] = [
  validateSingle,
  validateBulk,
  decideOnAddress,
  showValidation,
  previewUpload,
  listUploads,
  manageUpload,
  chooseHeader,
  chooseSheet,
  listNonAddresses,
  listSuggestions,
  correctUpload,
  confirmUpload,
  listJobs,
  showJob,
  controlJob,
  createRerun,
  createReportLink,
  manageReportLinks,
  streamEvents,
  showCallback,
  listResults,
  showResult,
  showBreakdown,
  showComparison,
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

/** The whole HTTP server, not listening yet. Tests add routes of their own. */
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
  limitInFlight(app, services.inFlight)
  markUnreadBodies(app, networks)
  limitSlowBodies(app, config.limits)
  limitTime(app, config.limits)
  sendDeprecations(app)
  await describeApi(app, config)
  await app.register(health, services)
  await app.register(stripeEvents, services)
  await app.register(receiveDoctor, services)
  await app.register(reference, {
    getDocument: () => finishDocument(app.swagger() as unknown as OpenApiDocument),
    ...(config.publicSandbox && { key: PUBLIC_SANDBOX_KEY }),
  })
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
  const loadShedding = openLoadShedding(services, counts.rejected)
  const app = fastify({
    loggerInstance: services.log,
    // Fastify's own log lines contain the URL, and an address in its query.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newRequestId,
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
    bodyLimit: limits.bodyBytesMax,
    return503OnClosing: false, // requests that arrive before the server stops listening are served
    serverFactory: (handle) => listenWith(processInOrder(loadShedding.before(handle)), limits),
    clientErrorHandler: sendClientError,
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
    routerOptions: { maxParamLength: 100 },
  })
  loadShedding.learn(app)
  app.setValidatorCompiler(checkRequests)
  app.setSerializerCompiler(writeResponses)
  app.setErrorHandler(sendError)
  app.setNotFoundHandler(sendNotFound)
  return app
}

function listenWith(listener: RequestListener, limits: ApiConfig['limits']): Server {
  const options = {
    requestTimeout: limits.uploadTimeoutMs, // limit of the slowest route; time-limits.ts has those of the others
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxHeaderSize: limits.headerBytesMax,
    headersTimeout: limits.headersTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, limits.headersTimeoutMs),
  }
  const server = createServer(options, listener)
  server.maxRequestsPerSocket = limits.requestsPerSocketMax
  return server
}

// These hooks run for every request, so they are callbacks: a promise for each would cost as much as the work itself.
function sendCommonHeaders(app: FastifyInstance, { unauthenticatedRate, stopping, log }: Services): void {
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
    reply.headers(
      rateHeaders(request.rateLimit?.state ?? unauthenticatedRate.look(networkOf(request.ip), UNAUTHENTICATED)),
    )
    // Sent with files and errors too, which have no such field.
    if (request.auth) reply.header('livemode', String(request.auth.mode === 'live'))
    if (stopping.aborted) reply.header('connection', 'close')
    done(null, payload)
  })
  app.addHook('onResponse', (request, reply, done) => {
    // The route pattern and never the URL, which may contain an address.
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
    /** Arrival time of the request, by the monotonic clock of the process. */
    arrivedAt: number
  }
}
