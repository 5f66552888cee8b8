import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { asRequestFailed } from '../../../session/client.ts'
import { useMay, useScene } from '../../../session/workspace.ts'
import { Button, buttonClass } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Checkbox } from '../../../ui/Field.tsx'
import { Page } from '../../../ui/Page.tsx'
import { EmptyState, NoPermission, PageFrame } from '../../../ui/States.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import { KeyDialogs, type Opened } from './KeyDialogs.tsx'
import { KeyTable } from './KeyTable.tsx'
import { type Key, type KeyAction, keysQuery, type NewKey, useRefreshKeys } from './keys-query.ts'

const ABOUT =
  'API keys authenticate your programs with this account. Keep secret keys on servers. Publishable keys can be used in web pages.'

export function KeysPage() {
  const may = useMay('keys:write')
  if (may) return <Keys />
  return (
    <Page title="API keys" about={ABOUT}>
      <NoPermission what="view API keys" roles="owner, admin or developer" />
    </Page>
  )
}

function Keys() {
  const actions = useKeyActions()
  const create = (
    <Button look="primary" onClick={actions.create} icon={<Plus className="size-4" aria-hidden="true" />}>
      Create key
    </Button>
  )
  return (
    <Page title="API keys" about={ABOUT} actions={create}>
      <Card className="max-md:border-0 max-md:bg-transparent max-md:shadow-none max-md:[&>div]:p-0">
        <KeyList onCreate={actions.create} onAct={actions.act} />
      </Card>
      <KeyDialogs opened={actions.opened} onMade={actions.made} onDone={actions.done} onClose={actions.close} />
    </Page>
  )
}

type KeyListProps = { onCreate(): void; onAct(action: KeyAction): void }

function KeyList({ onCreate, onAct }: KeyListProps) {
  const query = useQuery(keysQuery(useScene()))
  const { data } = query
  const { ended: isShown = false } = useSearch({ from: '/shell/keys' })
  if (data === undefined)
    return <PageFrame query={query} failed="The API keys could not be loaded" loading="Loading keys" lines={5} />
  if (data.length === 0) return <NoKeys onCreate={onCreate} />
  const ended = data.filter(hasEnded)
  const shown = isShown ? data : data.filter((key) => !hasEnded(key))
  return (
    <>
      {shown.length > 0 && <KeyTable caption="API keys" keys={shown} onAct={onAct} />}
      {shown.length === 0 && <p className="text-soft">No active keys. All keys are expired or revoked.</p>}
      {ended.length > 0 && <EndedSwitch isOn={isShown} count={ended.length} />}
    </>
  )
}

function hasEnded({ status }: Key): boolean {
  return status === 'revoked' || status === 'expired'
}

function EndedSwitch({ isOn, count }: { isOn: boolean; count: number }) {
  const navigate = useNavigate()
  const turn = (on: boolean) =>
    navigate({ to: '.', search: (now) => ({ ...now, ended: on ? true : undefined }), replace: true })
  return (
    <Checkbox
      className="pt-4 text-soft"
      checked={isOn}
      onChange={(event) => void turn(event.target.checked)}
      label={`Show expired and revoked keys (${count})`}
    />
  )
}

function NoKeys({ onCreate }: { onCreate(): void }) {
  return (
    <EmptyState
      icon={<KeyRound aria-hidden="true" />}
      title="No API keys yet"
      action={
        <>
          <Button look="primary" onClick={onCreate}>
            Create key
          </Button>
          <Link to="/quick-start" className={buttonClass()}>
            Quick start
          </Link>
        </>
      }
    >
      <p>Start with a test key. Its results are simulated and use no credits.</p>
    </EmptyState>
  )
}

/** The actions of the API keys page, and the open dialog. */
function useKeyActions() {
  const scene = useScene()
  const tell = useToasts()
  const navigate = useNavigate()
  const { create = false } = useSearch({ from: '/shell/keys' })
  const [opened, setOpened] = useState<Opened>()
  const refresh = useRefreshKeys()
  const setCreating = (is: boolean) =>
    navigate({ to: '.', search: (now) => ({ ...now, create: is ? true : undefined }), replace: !is })

  async function setPaused({ key }: KeyAction, paused: boolean) {
    try {
      await scene.probity.keys[paused ? 'pause' : 'resume'](key.id)
      tell.done(paused ? `${key.name} paused.` : `${key.name} resumed.`)
    } catch (error) {
      tell.failed(`${key.name} was not changed. ${asRequestFailed(error).message}`)
    }
    refresh()
  }

  return {
    opened: opened ?? (create ? { kind: 'create' as const } : undefined),
    create: () => void setCreating(true),
    act(action: KeyAction) {
      if (action.kind === 'pause' || action.kind === 'resume') void setPaused(action, action.kind === 'pause')
      else setOpened({ kind: action.kind, key: action.key })
    },
    /** The list is not refetched before the dialog closes: rendering it again would discard the secret. */
    made(made: NewKey) {
      setOpened(made.type === 'publishable' ? { kind: 'embed', key: made } : { kind: 'secret', made })
      if (create) void setCreating(false)
    },
    done(said: string) {
      setOpened(undefined)
      tell.done(said)
      refresh()
    },
    close() {
      if (opened?.kind === 'secret' || opened?.kind === 'embed') refresh()
      setOpened(undefined)
      if (create) void setCreating(false)
    },
  }
}
