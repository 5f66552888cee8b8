/** How our cookies are called. Where the application is reached by https the browser itself holds them to this host. */
export function cookieNames(publicUrl: string | undefined) {
  const isSecure = publicUrl?.startsWith('https://') ?? false
  const prefix = isSecure ? '__Host-probity' : 'probity'
  return { isSecure, session: `${prefix}.session_token`, device: `${prefix}.device`, prefix }
}

/** Makes a browser delete a cookie. Browsers accept a change of a __Host- cookie only with these attributes. */
export function clearCookie(publicUrl: string | undefined, name: string): string {
  return `${name}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax${cookieNames(publicUrl).isSecure ? '; Secure' : ''}`
}

/** The value of a cookie in a request's header. Of several with one name the first counts. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const at = part.indexOf('=')
    if (at > 0 && part.slice(0, at).trim() === name) return decode(part.slice(at + 1).trim())
  }
  return undefined
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined // not one of ours
  }
}
