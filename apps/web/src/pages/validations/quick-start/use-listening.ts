import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useScene } from '../../../session/scene.ts'
import type { Key, LastRequest } from '../../accounts/keys/keys-query.ts'
import { useRefreshKeys } from '../../accounts/keys/use-refresh-keys.ts'

const EVERY_MS = 1_000
const LISTEN_MS = 120_000
const SHOWN_MAX = 5

export type Listening = {
  /** The newest first. */
  heard: LastRequest[]
  isListening: boolean
  listenAgain(): void
}

/** Polls a key for requests. Each request extends the polling time. */
export function useListening(keyId: string): Listening {
  const { key, probity } = useScene()
  const [heard, setHeard] = useState<LastRequest[]>([])
  const [since, setSince] = useState(() => Date.now())
  const [isListening, setListening] = useState(true)
  const { data } = useQuery({
    queryKey: [...key, 'listening', keyId],
    queryFn: ({ signal }): Promise<Key> => probity.keys.get(keyId, { signal }),
    refetchInterval: isListening ? EVERY_MS : false,
    enabled: isListening,
  })
  const refreshKeys = useRefreshKeys()
  const last = data?.last_request ?? undefined
  useEffect(() => {
    if (last === undefined) return
    setHeard((now) => (now[0]?.occurred_at === last.occurred_at ? now : [last, ...now].slice(0, SHOWN_MAX)))
    setSince(Date.now())
    refreshKeys()
  }, [last, refreshKeys])
  useEffect(() => {
    if (!isListening) return
    const timer = setTimeout(() => setListening(false), since + LISTEN_MS - Date.now())
    return () => clearTimeout(timer)
  }, [since, isListening])
  return {
    heard,
    isListening,
    listenAgain() {
      setSince(Date.now())
      setListening(true)
    },
  }
}
