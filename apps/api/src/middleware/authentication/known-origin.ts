import type { FastifyRequest } from 'fastify'
import { Problem } from '../../http/problem.ts'

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Refuses what a page of another origin makes a browser send. The host that the request names is no proof of anything: a page can have its
 * own name lead to this machine (DNS rebinding), and then both are the page's. So an origin must be ours by our own setting, or by
 * name this very machine where there is none. Programs send no origin.
 */
export function refuseForeignOrigin(publicUrl: string | undefined) {
  const ownOrigin = publicUrl === undefined ? undefined : new URL(publicUrl).origin
  return ({ headers: { origin } }: FastifyRequest): void => {
    if (origin === undefined) return
    const isKnown = URL.canParse(origin) && isOurs(new URL(origin), ownOrigin)
    if (!isKnown)
      throw new Problem('cross_site_request', 'Pages of other origins cannot send this request. Programs can.')
  }
}

function isOurs({ origin, hostname }: URL, ownOrigin: string | undefined): boolean {
  return ownOrigin === undefined ? LOOPBACK_NAMES.has(hostname) : origin === ownOrigin
}
