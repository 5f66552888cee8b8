/** The page that was requested before sign-in. Always a page of this web app, so that links cannot redirect elsewhere. */
export function readNextPath(next: string | undefined): string {
  if (next === undefined) return '/'
  const url = URL.canParse(next, window.location.origin) ? new URL(next, window.location.origin) : undefined
  if (url === undefined || url.origin !== window.location.origin) return '/'
  const path = url.pathname.replace(/^\/app(?=\/|$)/, '') || '/'
  if (path.startsWith('/sign-in') || path.startsWith('//')) return '/'
  return `${path}${url.search}${url.hash}`
}
