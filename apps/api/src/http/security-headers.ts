/** For responses that no browser displays. The pages of the reference set a policy of their own. */
export const SECURITY_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
}

const CREDENTIALS = 'X-API-Key, Authorization'

/**
 * The same under /api/v1. RFC 9111 section 3.5 keeps shared caches from storing responses to requests with `Authorization` only, so
 * responses to `X-API-Key` need explicit headers.
 */
export const API_HEADERS = { ...SECURITY_HEADERS, 'cache-control': 'no-store', vary: CREDENTIALS }

/** `Vary` of responses that also depend on the page that sent the request. */
export const VARY_BY_ORIGIN = `${CREDENTIALS}, Origin`

const API_PREFIX = '/api/v1/'

/** The pages of accounts, and reports behind links that only their readers know. */
const APP_PREFIX = '/app'
const APP_HEADERS = { ...SECURITY_HEADERS, 'x-robots-tag': 'noindex' }

/** Headers of every response to this URL. */
export function commonHeaders(url: string): Record<string, string> {
  if (url.startsWith(API_PREFIX)) return API_HEADERS
  return url.startsWith(APP_PREFIX) ? APP_HEADERS : SECURITY_HEADERS
}
