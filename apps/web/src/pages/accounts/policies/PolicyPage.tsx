import type { Policy } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { rolesFor, useMay } from '../../../session/may.ts'
import { useScene } from '../../../session/scene.ts'
import { Card } from '../../../ui/Card.tsx'
import { EmptyState, ErrorState, NoPermission, Skeleton } from '../../../ui/States.tsx'
import { PolicyEditor } from './PolicyEditor.tsx'
import { PolicyFrame } from './PolicyFrame.tsx'
import { policiesQuery } from './policies-query.ts'
import { ShowPolicy } from './ShowPolicy.tsx'

/** One policy: its rules and a trial; with permission also editing and copying. */
export function PolicyPage() {
  const { name } = useParams({ from: '/shell/policies/$name' })
  const { data, error, refetch } = useQuery(policiesQuery(useScene()))
  const policy = data?.find((one) => one.name === name)
  if (policy) return <OnePolicy key={name} policy={policy} all={data ?? []} />
  return (
    <PolicyFrame title={name}>
      <Card>
        {data && <NoSuchPolicy />}
        {!data && error && (
          <ErrorState what="The policy could not be loaded" error={error} onRetry={() => void refetch()} />
        )}
        {!data && !error && <Skeleton lines={6} label="Loading policy" />}
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
    <EmptyState icon={<ArrowLeft aria-hidden="true" />} title="Policy not found">
      <p>It may have been deleted, or it belongs to another account.</p>
    </EmptyState>
  )
}
