/** Where somebody wanted to go before they were asked to sign in. Only ever a page of this application. */
export function readNextPlace(next: string | undefined): string {
  if (next === undefined) return '/'
  const url = URL.canParse(next, window.location.origin) ? new URL(next, window.location.origin) : undefined
  if (url === undefined || url.origin !== window.location.origin) return '/'
  const path = url.pathname.replace(/^\/app(?=\/|$)/, '') || '/'
  if (path.startsWith('/sign-in') || path.startsWith('//')) return '/'
  return `${path}${url.search}${url.hash}`
}
