import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { asRequestFailed } from '../../api/probity.ts'
import type { NewKey } from '../../keys/keys-query.ts'
import { SecretReveal } from '../../keys/SecretReveal.tsx'
import { useRefreshKeys } from '../../keys/use-refresh-keys.ts'
import { useMay } from '../../session/may.ts'
import { useScene } from '../../session/scene.ts'
import { validateSnippets } from '../../snippets/validate-snippets.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { CodeTabs } from '../../ui/Code.tsx'
import { Listener } from './Listener.tsx'

type RequestCardProps = { made: NewKey | undefined; onMade(made: NewKey): void }

const LISTENING = 'With a key from here, your first request shows up at this place.'

/** From no key to a first request of one's own, on one card. */
export function RequestCard({ made, onMade }: RequestCardProps) {
  const may = useMay('keys:write')
  const snippets = validateSnippets({ host: window.location.origin, email: 'valid@example.com', key: made?.key })
  return (
    <Card title="Make a request" about="A test key, code that runs as it stands, and we tell you when it arrives.">
      <ol className="flex flex-col gap-6">
        <Part number={1} title="Your test key">
          {made ? <Shown made={made} /> : <CreateKey onMade={onMade} />}
        </Part>
        <Part number={2} title="Run it">
          <CodeTabs label="A first request" snippets={snippets} />
        </Part>
        {may && (
          <Part number={3} title="We are listening">
            {made ? <Listener made={made} /> : <p className="text-soft">{LISTENING}</p>}
          </Part>
        )}
      </ol>
    </Card>
  )
}

function Part({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <li className="flex gap-3">
      <span
        aria-hidden="true"
        className="grid size-6 shrink-0 place-items-center rounded-full bg-hover text-xs font-medium tabular-nums"
      >
        {number}
      </span>
      <div className="min-w-0 flex-1">
        <h3 className="mb-2 leading-6 font-medium">{title}</h3>
        {children}
      </div>
    </li>
  )
}

function Shown({ made }: { made: NewKey }) {
  return (
    <>
      <SecretReveal made={made} withCode={false} />
      <p className="mt-2 text-[0.8125rem] text-faint">
        It is shown until you leave this page and not again. The code below has it filled in.
      </p>
    </>
  )
}

function CreateKey({ onMade }: { onMade(made: NewKey): void }) {
  const { probity } = useScene()
  const may = useMay('keys:write')
  const refreshKeys = useRefreshKeys()
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<string>()
  async function create() {
    setBusy(true)
    setFault(undefined)
    try {
      // Not through the query cache, which would keep the secret.
      onMade(
        await probity.keys.create({
          name: 'Quick start',
          livemode: false,
          scopes: ['validations:write', 'account:read'],
        }),
      )
    } catch (error) {
      setFault(asRequestFailed(error).message)
      setBusy(false)
    }
    refreshKeys()
  }
  if (!may) return <p className="text-soft">Your role cannot make keys. Developers, admins and owners can.</p>
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button look="primary" busy={isBusy} onClick={() => void create()}>
          Create a test key
        </Button>
        <p className="text-soft">
          Or{' '}
          <Link to="/keys" search={{ create: true }} className="text-accent-text underline underline-offset-2">
            make your own
          </Link>
          .
        </p>
      </div>
      {fault && (
        <p role="alert" className="mt-2 text-invalid">
          The key was not made. {fault}
        </p>
      )}
    </>
  )
}
