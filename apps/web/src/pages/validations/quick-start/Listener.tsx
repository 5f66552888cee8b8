import { useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleX, Radio } from 'lucide-react'
import { useEffect, useState } from 'react'
import { VerdictBadge } from '../../../labels/verdict.tsx'
import { useScene } from '../../../session/workspace.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { CodeBlock } from '../../../ui/Code.tsx'
import { DateTime } from '../../../ui/DateTime.tsx'
import { formatMs } from '../../../ui/format.ts'
import { type Key, type LastRequest, type NewKey, useRefreshKeys } from '../../accounts/keys/keys-query.ts'

/** Requests made with the new key, updated live. */
export function Listener({ made }: { made: NewKey }) {
  const { heard, isListening, listenAgain } = useListening(made.id)
  return (
    <div className="flex flex-col gap-3">
      <div role="log" aria-label="Requests with your key" className="flex flex-col gap-2">
        {heard.map((request) => (
          <HeardRow key={request.occurred_at} request={request} />
        ))}
      </div>
      {heard.length > 0 && <p className="text-valid">Request received. Your key and your code work.</p>}
      {isListening && (
        <p className="flex items-center gap-2 text-soft">
          <Radio className="size-4 animate-pulse text-accent-text" aria-hidden="true" />
          {heard.length === 0 ? 'Waiting for your first request.' : 'Waiting for more requests.'}
        </p>
      )}
      {!isListening && heard.length === 0 && <NothingHeard made={made} />}
      {!isListening && (
        <Button size="sm" className="self-start" onClick={listenAgain}>
          Wait again
        </Button>
      )}
    </div>
  )
}

function HeardRow({ request }: { request: LastRequest }) {
  const isFine = request.http_status < 400
  const Icon = isFine ? CircleCheck : CircleX
  return (
    <p className="appear flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md border border-line bg-sunken px-3 py-2 text-[0.8125rem] tabular-nums">
      <Icon className={isFine ? 'size-4 text-valid' : 'size-4 text-invalid'} aria-hidden="true" />
      <span className="text-faint">
        <DateTime at={request.occurred_at} seconds />
      </span>
      <code className="min-w-0 font-mono [overflow-wrap:anywhere]">
        {request.method} {request.route}
      </code>
      <span>{request.http_status}</span>
      <span className="text-faint">{formatMs(request.duration_ms)}</span>
      {request.result_status && <VerdictBadge status={request.result_status} />}
    </p>
  )
}

function NothingHeard({ made }: { made: NewKey }) {
  const host = window.location.origin
  return (
    <Callout kind="warning" title="No requests received for two minutes">
      <ol className="mt-1 list-decimal ps-5">
        <li>
          Host: <code className="font-mono">{host}</code> must be reachable from where the code runs.
        </li>
        <li>
          Key: send the whole key without quotes in the header <code className="font-mono">X-API-Key</code>.
        </li>
        <li>Network: a firewall or proxy may block the request.</li>
      </ol>
      <p className="mt-2 mb-1.5">
        Test the connection: 200 means success, 401 means a wrong key, and no response means a host or network problem.
      </p>
      <CodeBlock
        label="Connection test"
        code={`curl -sS -o /dev/null -w '%{http_code}\\n' ${host}/api/v1/account -H 'X-API-Key: ${made.key}'`}
      />
    </Callout>
  )
}

const EVERY_MS = 1_000
const LISTEN_MS = 120_000
const SHOWN_MAX = 5

type Listening = {
  /** The newest first. */
  heard: LastRequest[]
  isListening: boolean
  listenAgain(): void
}

/** Polls a key for requests. Each request extends the polling time. */
function useListening(keyId: string): Listening {
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
