import type { Policy } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { rolesFor, useMay, useScene } from '../../../session/workspace.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { buttonClass } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { formatNumber } from '../../../ui/format.ts'
import { Page } from '../../../ui/Page.tsx'
import { PageFrame } from '../../../ui/States.tsx'
import { type Column, DataTable } from '../../../ui/Table.tsx'
import { policiesQuery } from './policies.ts'

const ABOUT =
  'A policy maps a result to a decision: allow, review or block. A request can name a policy; the response then contains the decision and its reason.'

/** The policies that a request can name. */
export function PoliciesPage() {
  const query = useQuery(policiesQuery(useScene()))
  return (
    <Page title="Policies" about={ABOUT}>
      <Card>
        <PageFrame query={query} failed="The policies could not be loaded" loading="Loading policies" lines={4}>
          {(policies) => <PolicyTable policies={policies} />}
        </PageFrame>
      </Card>
      <OwnPolicies />
    </Page>
  )
}

function OwnPolicies() {
  const may = useMay('account:write')
  if (!may) return <Callout>You need the role {rolesFor('account:write')} to create policies.</Callout>
  return (
    <Card title="Custom policies" about="Copy the closest built-in policy and edit its rules.">
      <div className="flex flex-wrap gap-2">
        {['signup', 'newsletter', 'transactional'].map((name) => (
          <Link
            key={name}
            to="/policies/$name"
            params={{ name }}
            search={{ do: 'copy' }}
            className={buttonClass('secondary', 'sm')}
          >
            Copy {name}
          </Link>
        ))}
      </div>
    </Card>
  )
}

const COLUMNS: Column<Policy>[] = [
  {
    head: 'Name',
    isRowHead: true,
    className: 'min-w-28 font-medium',
    cell: ({ name }) => (
      <Link
        to="/policies/$name"
        params={{ name }}
        className="inline-flex min-h-6 items-center font-mono text-[0.8125rem] [overflow-wrap:anywhere] underline-offset-4 hover:underline"
      >
        {name}
      </Link>
    ),
  },
  {
    head: 'Description',
    className: 'min-w-48 text-soft [overflow-wrap:anywhere]',
    cell: ({ description }) => description,
  },
  { head: 'Rules', align: 'end', cell: ({ rules }) => formatNumber(rules.length) },
  {
    head: 'Type',
    cell: (policy) => (policy.is_built_in ? <Badge>Built-in</Badge> : <Badge tone="accent">Custom</Badge>),
  },
]

function PolicyTable({ policies }: { policies: Policy[] }) {
  return <DataTable caption="Policies" columns={COLUMNS} rows={policies} keyOf={({ name }) => name} cardsBelow="sm" />
}
