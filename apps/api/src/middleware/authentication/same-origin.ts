import type { FastifyRequest } from 'fastify'
import { Problem } from '../../http/problem.ts'

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])
const BODY_TYPES = new Set(['application/json', 'multipart/form-data'])

/**
 * Refuses what another site makes a browser send. A browser says itself where a request comes from, in headers that no page can
 * write; a header of our own cannot be sent to us from elsewhere without a question that we never answer; and a form cannot send
 * JSON.
 */
export function refuseCrossSite(publicUrl: string | undefined) {
  const ownHost = publicUrl === undefined ? undefined : new URL(publicUrl).host
  const ownProtocol = publicUrl === undefined ? undefined : new URL(publicUrl).protocol
  return async (request: FastifyRequest): Promise<void> => {
    if (READS.has(request.method)) return
    const { headers } = request
    const isOurs = isFromHere(request, ownHost, ownProtocol) && headers['probity-app'] === '1' && isBodyOurs(request)
    if (!isOurs) throw new Problem('cross_site_request')
  }
}

function isFromHere({ headers }: FastifyRequest, ownHost?: string, ownProtocol?: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const { origin, host } = headers
  if (origin === undefined || !URL.canParse(origin)) return false
  const from = new URL(origin)
  return from.host === (ownHost ?? host) && (ownProtocol === undefined || from.protocol === ownProtocol)
}

function isBodyOurs({ headers }: FastifyRequest): boolean {
  const { 'content-type': type, 'content-length': length, 'transfer-encoding': encoding } = headers
  const isEmpty = encoding === undefined && (length === undefined || length === '0')
  if (isEmpty && type === undefined) return true
  const [essence = ''] = (type ?? '').split(';')
  return BODY_TYPES.has(essence.trim().toLowerCase())
}
