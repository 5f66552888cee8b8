import { findBuiltInPolicy, type NamedPolicy } from '@probity/contract/decide-by-policy'
import type { Policy } from '@probity/sdk'
import { Link, useNavigate } from '@tanstack/react-router'
import { Copy, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { asRequestFailed } from '../../api/probity.ts'
import { useMay } from '../../session/may.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { useToasts } from '../../ui/Toasts.tsx'
import { PolicyFrame } from './PolicyFrame.tsx'
import { usePolicyBook, useRefreshPolicies } from './policies-query.ts'
import { RulesTable } from './RulesTable.tsx'
import { TryCard } from './TryCard.tsx'

/** A policy as it is, and what it makes of an address. */
export function ShowPolicy({ policy }: { policy: Policy }) {
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
  const order = 'They are gone through in order, and the first that applies decides.'
  if (isBuiltIn) return `${order} This one is built in: every organisation has it, and a copy can be changed.`
  return findBuiltInPolicy(name) ? `${order} It takes the place of the built-in policy of this name.` : order
}

function Actions({ policy: { name, is_built_in: isBuiltIn } }: { policy: Policy }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Link to="/policies/$name" params={{ name }} search={{ do: 'copy' }} className={buttonClass()}>
        <Copy className="size-4" aria-hidden="true" />
        Copy
      </Link>
      {!isBuiltIn && (
        <>
          <Link to="/policies/$name" params={{ name }} search={{ do: 'edit' }} className={buttonClass()}>
            <Pencil className="size-4" aria-hidden="true" />
            Change
          </Link>
          <Button onClick={() => setAsking(true)} icon={<Trash2 className="size-4" aria-hidden="true" />}>
            Remove
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
      tell.done(`The policy ${name} is removed.`)
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
      title={`Remove ${name}?`}
      confirm="Remove"
      onCancel={onClose}
      onConfirm={() => void remove()}
    >
      <p>
        {findBuiltInPolicy(name)
          ? 'From then on requests that name it are decided by the built-in policy of the same name.'
          : 'From then on requests that name it are refused, before anything is charged. Look first whether a form or a program still does.'}
      </p>
    </ConfirmDialog>
  )
}
