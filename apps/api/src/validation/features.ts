import type { FastifyRequest } from 'fastify'

/** What a request allows beside the checks that are always made. */
export type Features = { ai: boolean; catchall: boolean; mailbox: boolean }

/** What is allowed where nothing is said. */
export const ALL_FEATURES: Features = { ai: true, catchall: true, mailbox: true }

/** Reads them from a body or a query, of which nobody has checked the types yet. */
export function readFeatures(part: unknown): Features {
  const said = typeof part === 'object' && part !== null ? (part as Record<string, unknown>) : {}
  return { ai: !isFalse(said['ai']), catchall: !isFalse(said['catchall']), mailbox: true }
}

function isFalse(value: unknown): boolean {
  return value === false || value === 'false'
}

/** What was at work for a request: what its plan has and what it did not do without. */
export function featuresUsed({ caller, body, query }: FastifyRequest): Omit<Features, 'mailbox'> {
  const { ai, catchall } = readFeatures(body ?? query)
  return { ai: caller.ai && ai, catchall: caller.catchall && catchall }
}

/** Requests that want an address judged otherwise do not wait for each other's answers. */
export function keyWith(emailKey: string, { ai, catchall, mailbox }: Features): string {
  return `${emailKey}${ai ? '' : ' ai=false'}${catchall ? '' : ' catchall=false'}${mailbox ? '' : ' mailbox=false'}`
}
