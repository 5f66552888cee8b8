/** What stands in the headers of an answer. */
export type ResponseInfo = {
  status: number
  headers: Headers
  /** Names the request; quote it when you ask for help. */
  requestId: string | undefined
  /** What this call cost. Only calls that spend say so. */
  creditsCharged: number | undefined
  creditsRemaining: number | undefined
  /** True where an earlier call with the same idempotency key was answered again. */
  replayed: boolean
  /** How many there are on all pages. Only calls that answer with a page say so. */
  total: number | undefined
  rateLimit: RateLimit | undefined
}

/** So many requests in so many seconds; how many are left, and in how many seconds all are back. */
export type RateLimit = { quota: number; windowS: number; remaining: number; resetS: number }

export function readResponse({ status, headers }: Response): ResponseInfo {
  return {
    status,
    headers,
    requestId: headers.get('request-id') ?? undefined,
    creditsCharged: readCount(headers.get('credits-charged')),
    creditsRemaining: readCount(headers.get('credits-remaining')),
    replayed: headers.get('idempotency-replayed') === 'true',
    total: readCount(headers.get('x-total-count')),
    rateLimit: readRateLimit(headers),
  }
}

function readCount(text: string | null): number | undefined {
  return text !== null && /^-?\d+$/.test(text) ? Number(text) : undefined
}

/** Of draft-ietf-httpapi-ratelimit-headers: `"account";q=600;w=60` and `"account";r=598;t=1`. */
function readRateLimit(headers: Headers): RateLimit | undefined {
  const quota = readParameter(headers.get('ratelimit-policy'), 'q')
  const windowS = readParameter(headers.get('ratelimit-policy'), 'w')
  const remaining = readParameter(headers.get('ratelimit'), 'r')
  const resetS = readParameter(headers.get('ratelimit'), 't')
  if (quota === undefined || windowS === undefined || remaining === undefined || resetS === undefined) return undefined
  return { quota, windowS, remaining, resetS }
}

function readParameter(field: string | null, name: string): number | undefined {
  const [, digits] = new RegExp(`;\\s*${name}=(\\d+)`).exec(field ?? '') ?? []
  return digits === undefined ? undefined : Number(digits)
}
