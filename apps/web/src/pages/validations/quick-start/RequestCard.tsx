import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { asRequestFailed } from '../../../session/client.ts'
import { useMay, useScene } from '../../../session/workspace.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { CodeTabs } from '../../../ui/Code.tsx'
import { type NewKey, useRefreshKeys } from '../../accounts/keys/keys-query.ts'
import { SecretReveal } from '../../accounts/keys/SecretReveal.tsx'
import { validateSnippets } from '../../accounts/keys/validate-snippets.ts'
import { Listener } from './Listener.tsx'

type RequestCardProps = { made: NewKey | undefined; onMade(made: NewKey): void }

const LISTENING = 'Create a test key. Your first request then appears here.'

/** Creates a key and shows the first request made with it. */
export function RequestCard({ made, onMade }: RequestCardProps) {
  const may = useMay('keys:write')
  const snippets = validateSnippets({ host: window.location.origin, email: 'valid@example.com', key: made?.key })
  return (
    <Card title="Make a request" about="Create a test key, run the example code and see the request here.">
      <ol className="flex flex-col gap-6">
        <Part number={1} title="Your test key">
          {made ? <Shown made={made} /> : <CreateKey onMade={onMade} />}
        </Part>
        <Part number={2} title="Run the code">
          <CodeTabs label="Example request" snippets={snippets} />
        </Part>
        {may && (
          <Part number={3} title="Received requests">
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
        The key is shown only until you leave this page. The code below contains it.
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
      // Bypasses the query cache, which would keep the secret.
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
  if (!may)
    return <p className="text-soft">Your role cannot create keys. You need the role owner, admin or developer.</p>
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button look="primary" busy={isBusy} onClick={() => void create()}>
          Create test key
        </Button>
        <p className="text-soft">
          Or{' '}
          <Link to="/keys" search={{ create: true }} className="text-accent-text underline underline-offset-2">
            create a key with your own settings
          </Link>
          .
        </p>
      </div>
      {fault && (
        <p role="alert" className="mt-2 text-invalid">
          The key could not be created. {fault}
        </p>
      )}
    </>
  )
}
