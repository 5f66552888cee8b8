import { PAGE_LIMIT_MAX } from '@probity/contract/constants/limits'
import type { FastifyReply } from 'fastify'

export type Page = { skip: number; limit: number }

const LIMIT_DEFAULT = 10

type PageQuery = { skip?: number; limit?: number }

export function readPage({ skip = 0, limit = LIMIT_DEFAULT }: PageQuery, limitMax: number = PAGE_LIMIT_MAX): Page {
  return { skip, limit: Math.min(limit, limitMax) }
}

/** Sends the total and the adjacent pages as web links (RFC 8288). */
export function sendPageHeaders(reply: FastifyReply, { skip, limit }: Page, total: number): void {
  const [path] = reply.request.url.split('?')
  const link = (from: number, relation: string) => `<${path}?skip=${from}&limit=${limit}>; rel="${relation}"`
  const links = [
    ...(skip > 0 ? [link(Math.max(0, skip - limit), 'prev')] : []),
    ...(skip + limit < total ? [link(skip + limit, 'next')] : []),
  ]
  reply.header('x-total-count', total)
  if (links.length > 0) reply.header('link', links.join(', '))
}

/** Adds the filter to the links of adjacent pages. */
export function keepFilter(reply: FastifyReply, filter: Record<string, string>): void {
  const query = new URLSearchParams(filter)
  const links = reply.getHeader('link')
  if (query.size > 0 && typeof links === 'string') reply.header('link', links.replaceAll('?', `?${query.toString()}&`))
}
