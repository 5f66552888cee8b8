import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Claimed,
  claimIdempotency,
  type IdempotentRequest,
  releaseIdempotency,
  type StoredResponse,
  saveResponse,
} from '@probity/database/accounts/idempotency'
import { type Db, inTenant } from '@probity/database/connection/connect'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { Problem } from '../../http/problem.ts'
import { isPublicSandbox } from '../authentication/public-sandbox.ts'
import { isPublishable } from '../authentication/publishable-keys.ts'
import type { UserAuthentication } from '../authentication/session.ts'
import { readSessionToken } from '../authentication/session.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The Idempotency-Key that this request has claimed, until its response is stored. */
    claim: Claimed | undefined
  }
  interface FastifyContextConfig {
    /**
     * How a POST treats an Idempotency-Key. By default the response is stored and replayed. `secret`: it is stored encrypted. `spends`: the
     * handler calls withIdempotency. `ignored`: not supported, because the body is read by the handler and cannot be compared.
     */
    idempotency?: 'secret' | 'spends' | 'ignored'
  }
}

/** How long a second request waits for the response to the first before it is rejected. */
const WAIT_MS = 10_000
const LOOK_EVERY_MS = 50
const RETRY_AFTER_S = 1

type Dependencies = { db: Db; hurry: AbortSignal }

type ClaimOrReplay = Claimed | { kind: 'replay'; response: StoredResponse }

/** Claims an Idempotency-Key, or waits for the response to the request that holds it. */
export async function claimOrWait(
  { db, hurry }: Dependencies,
  accountId: string,
  request: IdempotentRequest,
): Promise<ClaimOrReplay> {
  const deadline = performance.now() + WAIT_MS
  while (true) {
    const claim = await inTenant(db, accountId, (trx) => claimIdempotency(trx, request))
    if (claim.kind === 'mismatch') throw new Problem('idempotency_mismatch')
    if (claim.kind !== 'in_progress') return claim
    if (hurry.aborted || performance.now() > deadline) {
      throw new Problem('idempotency_in_progress', undefined, { retryAfterS: RETRY_AFTER_S })
    }
    await sleep(LOOK_EVERY_MS)
  }
}

const KEY_FORM = /^[\x21-\x7e]{1,255}$/

/**
 * Returns the Idempotency-Key of a request with its scope; undefined without one. Live and test mode are separate. The public sandbox key
 * has
 * no account to store responses for, so only the form of the Idempotency-Key is checked.
 */
export function identify(request: FastifyRequest, clientId?: string): IdempotentRequest | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !KEY_FORM.test(key)) {
    const fault = { pointer: 'Idempotency-Key', detail: 'must be 1 to 255 visible ASCII characters' }
    throw new Problem('invalid_request', undefined, { errors: [fault] })
  }
  const { auth, method, route, params, query, body } = request
  if (isPublicSandbox(auth)) return undefined
  const place = `${auth.mode} ${method} ${route.url}`
  const fingerprint = sha256(JSON.stringify([params, query, body, clientId]))
  return { route: place, keyHash: sha256(key), fingerprint }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

export function sendKept(reply: FastifyReply, { status, headers, body }: StoredResponse): FastifyReply {
  return reply.code(status).headers(headers).header('content-type', 'application/json; charset=utf-8').send(body)
}

/**
 * Makes every POST of these routes have one effect for one Idempotency-Key, without a line in the routes. Those that spend credits do it
 * themselves (with-idempotency.ts), because the ledger takes part. Must be called before the routes are registered.
 */
export function honorIdempotencyKeys(api: FastifyInstance, services: ReplayServices): void {
  api.decorateRequest('claim')
  const hooks = idempotencyHooks(services)
  api.addHook('onRoute', (route: RouteOptions) => {
    const handling = route.config?.idempotency
    if (route.method !== 'POST' || handling === 'spends' || handling === 'ignored') return
    route.preHandler = [...[route.preHandler ?? []].flat(), hooks.claim]
    route.onSend = [...[route.onSend ?? []].flat(), hooks.store]
    route.onError = [...[route.onError ?? []].flat(), hooks.release]
  })
}

type ReplayServices = Dependencies & { people: UserAuthentication }

function idempotencyHooks(services: ReplayServices) {
  const { db } = services
  return {
    async claim(request: FastifyRequest, reply: FastifyReply) {
      const { auth, route } = request
      // Visitors of a page share one key: none of them may claim an Idempotency-Key for the others.
      if (request.headers['idempotency-key'] === undefined || isPublishable(auth)) return undefined
      // With the id of the API key or the user: a response can hold a secret that another one of the account must not get.
      const identified = identify(request, auth.id ?? request.person?.userId)
      if (identified === undefined) return undefined
      const claimed = await claimOrWait(services, auth.accountId, identified)
      if (claimed.kind !== 'replay') {
        request.claim = claimed
        return undefined
      }
      const { response } = claimed
      const isSecret = route.config.idempotency === 'secret'
      const body = isSecret ? decrypt(response.body, await cipherKeyOf(services, request, identified)) : response.body
      return sendKept(reply.header('idempotency-replayed', 'true'), { ...response, body })
    },

    /** Stored before it is sent: a response that the client has seen can be replayed. */
    async store(request: FastifyRequest, reply: FastifyReply, payload: unknown) {
      const { claim, auth, route } = request
      if (claim === undefined || reply.statusCode >= 400) return payload
      request.claim = undefined
      // A stream cannot be stored: its claim expires, and the request can be sent again.
      if (typeof payload !== 'string') return payload
      const isSecret = route.config.idempotency === 'secret'
      const body = isSecret ? encrypt(payload, await cipherKeyOf(services, request, claim.request)) : payload
      const answer = { status: reply.statusCode, headers: {}, body }
      await inTenant(db, auth.accountId, (trx) => saveResponse(trx, auth.accountId, claim, answer))
      return payload
    },

    /**
     * Rejected before it had an effect: the same Idempotency-Key may be used again. After any other error the effect is uncertain, so
     * the claim remains until it expires.
     */
    async release(request: FastifyRequest, _reply: FastifyReply, error: FastifyError) {
      const { claim, auth } = request
      request.claim = undefined
      if (claim === undefined || !((error as Error) instanceof Problem)) return
      try {
        await inTenant(db, auth.accountId, (trx) => releaseIdempotency(trx, auth.accountId, claim))
      } catch (failure) {
        request.log.warn({ err: failure }, 'failed to release idempotency key: it remains claimed until it expires')
      }
    },
  }
}

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * Responses with a secret are stored encrypted under a key that is derived from the client's API key or session token. Of these the
 * database has only hashes, so neither the database nor its backups reveal the secret, and only the same client can replay it.
 */
async function cipherKeyOf(services: ReplayServices, request: FastifyRequest, identified: IdempotentRequest) {
  const { auth, headers } = request
  const token = auth.id === null ? await readSessionToken(services, request) : headers['x-api-key']
  if (typeof token !== 'string') throw new Error('a client without a key or a session token')
  return Buffer.from(hkdfSync('sha256', token, identified.keyHash, identified.route, 32))
}

function encrypt(text: string, key: Buffer): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, key, iv)
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64')
}

function decrypt(stored: string, key: Buffer): string {
  const bytes = Buffer.from(stored, 'base64')
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES))
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
}
