import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { KeyRound, Plus } from 'lucide-react'
import { useMay } from '../../../session/may.ts'
import { useScene } from '../../../session/scene.ts'
import { Button, buttonClass } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Checkbox } from '../../../ui/Field.tsx'
import { Page } from '../../../ui/Page.tsx'
import { EmptyState, ErrorState, NoPermission, Skeleton } from '../../../ui/States.tsx'
import { KeyDialogs } from './KeyDialogs.tsx'
import { KeyTable } from './KeyTable.tsx'
import type { KeyAction } from './key-action.ts'
import { type Key, keysQuery } from './keys-query.ts'
import { useKeyActions } from './use-key-actions.ts'

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
  const { data, error, refetch } = useQuery(keysQuery(useScene()))
  const { ended: isShown = false } = useSearch({ from: '/shell/keys' })
  if (data === undefined) {
    return error ? (
      <ErrorState what="The API keys could not be loaded" error={error} onRetry={() => void refetch()} />
    ) : (
      <Skeleton lines={5} label="Loading keys" />
    )
  }
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
