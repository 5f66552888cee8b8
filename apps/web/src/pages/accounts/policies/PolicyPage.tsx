import { findBuiltInPolicy, type NamedPolicy } from '@probity/contract/constants/policies'
import type { Policy } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Copy, Pencil, SearchX, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { asRequestFailed } from '../../../session/client.ts'
import { rolesFor, useMay, useScene } from '../../../session/workspace.ts'
import { Button, buttonClass } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { ConfirmDialog } from '../../../ui/Dialog.tsx'
import { Page } from '../../../ui/Page.tsx'
import { EmptyState, NoPermission, PageFrame } from '../../../ui/States.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import { PolicyEditor } from './PolicyEditor.tsx'
import { policiesQuery, usePolicyBook, useRefreshPolicies } from './policies.ts'
import { RulesTable } from './RulesTable.tsx'
import { TryCard } from './TryCard.tsx'

/** One policy: its rules and a trial; with permission also editing and copying. */
export function PolicyPage() {
  const { name } = useParams({ from: '/shell/policies/$name' })
  const query = useQuery(policiesQuery(useScene()))
  const { data } = query
  const policy = data?.find((one) => one.name === name)
  if (policy) return <OnePolicy key={name} policy={policy} all={data ?? []} />
  return (
    <PolicyFrame title={name}>
      <Card>
        <PageFrame query={query} failed="The policy could not be loaded" loading="Loading policy" lines={6}>
          {() => <NoSuchPolicy />}
        </PageFrame>
      </Card>
    </PolicyFrame>
  )
}

function OnePolicy({ policy, all }: { policy: Policy; all: Policy[] }) {
  const { do: wish } = useSearch({ from: '/shell/policies/$name' })
  const may = useMay('account:write')
  if (wish === undefined) return <ShowPolicy policy={policy} />
  const isEdit = wish === 'edit' && !policy.is_built_in
  const title = isEdit ? `Edit ${policy.name}` : `Copy of ${policy.name}`
  return (
    <PolicyFrame title={title}>
      {may ? (
        <PolicyEditor key={String(isEdit)} from={policy} taken={all} isNew={!isEdit} />
      ) : (
        <Card>
          <NoPermission what="change policies" roles={rolesFor('account:write')} />
        </Card>
      )}
    </PolicyFrame>
  )
}

function NoSuchPolicy() {
  return (
    <EmptyState icon={<SearchX aria-hidden="true" />} title="Policy not found">
      <p>It was deleted, or it belongs to another account.</p>
    </EmptyState>
  )
}

/** The rules of a policy, and a trial with an address. */
function ShowPolicy({ policy }: { policy: Policy }) {
  const may = useMay('account:write')
  const [decidedBy, setDecidedBy] = useState<number | null>()
  return (
    <PolicyFrame title={policy.name} about={policy.description} actions={may && <Actions policy={policy} />}>
      <Card title="Rules" about={aboutOf(policy)}>
        <RulesTable policy={policy} decidedBy={decidedBy} />
      </Card>
      <TryCard policy={policy as NamedPolicy} onDecision={(decision) => setDecidedBy(decision?.rule)} />
    </PolicyFrame>
  )
}

function aboutOf({ name, is_built_in: isBuiltIn }: Policy): string {
  const order = 'Rules are evaluated in order. The first match decides.'
  if (isBuiltIn) return `${order} Built-in policies cannot be edited. Copy the policy to change it.`
  return findBuiltInPolicy(name) ? `${order} This policy overrides the built-in policy with the same name.` : order
}

function Actions({ policy: { name, is_built_in: isBuiltIn } }: { policy: Policy }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Link to="/policies/$name" params={{ name }} search={{ do: 'copy' }} className={buttonClass()}>
        <Copy className="size-4" aria-hidden="true" />
        Copy policy
      </Link>
      {!isBuiltIn && (
        <>
          <Link to="/policies/$name" params={{ name }} search={{ do: 'edit' }} className={buttonClass()}>
            <Pencil className="size-4" aria-hidden="true" />
            Edit policy
          </Link>
          <Button onClick={() => setAsking(true)} icon={<Trash2 className="size-4" aria-hidden="true" />}>
            Delete policy
          </Button>
        </>
      )}
      {isAsking && <RemoveDialog name={name} onClose={() => setAsking(false)} />}
    </>
  )
}

function RemoveDialog({ name, onClose }: { name: string; onClose(): void }) {
  const book = usePolicyBook()
  const refresh = useRefreshPolicies()
  const tell = useToasts()
  const navigate = useNavigate()
  const [isBusy, setBusy] = useState(false)
  const remove = async () => {
    setBusy(true)
    try {
      await book.delete(name)
      tell.done(`Policy ${name} deleted.`)
      if (!findBuiltInPolicy(name)) await navigate({ to: '/policies' })
      onClose()
    } catch (error) {
      tell.failed(asRequestFailed(error).message)
      setBusy(false)
    }
    await refresh()
  }
  return (
    <ConfirmDialog
      open
      danger
      busy={isBusy}
      title={`Delete ${name}?`}
      confirm="Delete policy"
      onCancel={onClose}
      onConfirm={() => void remove()}
    >
      <p>
        {findBuiltInPolicy(name)
          ? 'Requests that name this policy will use the built-in policy with the same name.'
          : 'Requests that name this policy will be rejected without a charge. Make sure that no form or program still uses it.'}
      </p>
    </ConfirmDialog>
  )
}

type FrameProps = { title: string; about?: string; actions?: ReactNode; children: ReactNode }

/** The page layout of one policy. */
function PolicyFrame({ title, about, actions, children }: FrameProps) {
  return (
    <Page
      title={title}
      back={{ to: '/policies', name: 'Policies' }}
      {...(about && { about })}
      {...(actions && { actions })}
    >
      {children}
    </Page>
  )
}
