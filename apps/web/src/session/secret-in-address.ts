import { useEffect, useState } from 'react'

/**
 * Reads a secret from the URL fragment, which browsers do not send to servers. It is removed from the URL at once, so that it is
 * neither in the history nor visible on a shared screen.
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
    // A second link pasted into the same tab does not reload the page.
    window.addEventListener('hashchange', take)
    return () => window.removeEventListener('hashchange', take)
  }, [name])
  return secret
}

function readSecret(name: string): string | undefined {
  return new URLSearchParams(window.location.hash.slice(1)).get(name) ?? undefined
}
