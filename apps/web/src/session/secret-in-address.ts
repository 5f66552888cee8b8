import { useEffect, useState } from 'react'

/**
 * What a link carries behind its #, which browsers send to nobody. It is taken out of the address at once, so that it stays neither in
 * the history nor on a screen that is shared.
 */
export function useSecretInAddress(name: string): string | undefined {
  const [secret, setSecret] = useState(() => readSecret(name))
  useEffect(() => {
    const take = () => {
      const found = readSecret(name)
      if (found === undefined) return
      setSecret(found)
      const { pathname, search } = window.location
      window.history.replaceState(window.history.state, '', pathname + search)
    }
    take()
    // A second link pasted into the same tab does not load the page anew.
    window.addEventListener('hashchange', take)
    return () => window.removeEventListener('hashchange', take)
  }, [name])
  return secret
}

function readSecret(name: string): string | undefined {
  return new URLSearchParams(window.location.hash.slice(1)).get(name) ?? undefined
}
