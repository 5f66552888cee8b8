import type { Usage } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useScene } from '../../../session/workspace.ts'
import { Card } from '../../../ui/Card.tsx'
import { formatNumber } from '../../../ui/format.ts'
import { PageFrame } from '../../../ui/States.tsx'
import { type Column, DataTable } from '../../../ui/Table.tsx'
import { RANGE_USUAL } from '../search.ts'
import { keyLabel, usageQuery } from './usage-query.ts'

type KeyUsage = NonNullable<Usage['keys']>[number]

/** Usage by API key, and of members in the web app. */
export function KeysCard() {
  const { days = RANGE_USUAL } = useSearch({ from: '/shell/usage' })
  const query = useQuery(usageQuery(useScene(), days, 'key'))
  return (
    <Card title="Usage by key" about="For the selected days. Usage in the web app has no key.">
      <PageFrame query={query} failed="The usage by key could not be loaded" lines={3}>
        {({ keys }) => <ByKey keys={keys ?? []} />}
      </PageFrame>
    </Card>
  )
}

const COLUMNS: Column<KeyUsage>[] = [
  { head: 'Key', isRowHead: true, className: 'min-w-32 font-normal', cell: (key) => <KeyName usage={key} /> },
  {
    head: 'Requests',
    align: 'end',
    // Requests of the web app are not counted, so there is no number to show.
    cell: ({ key_id: id, requests }) => (id === null ? '–' : formatNumber(requests)),
  },
  { head: 'Credits used', align: 'end', cell: (key) => formatNumber(key.credits_used) },
  { head: 'Credits refunded', align: 'end', cell: (key) => formatNumber(key.credits_refunded) },
]

function ByKey({ keys }: { keys: KeyUsage[] }) {
  if (keys.length === 0) return <p className="text-soft">No keys were used on these days.</p>
  return (
    <DataTable
      caption="Usage by key"
      className="max-h-96 overflow-y-auto"
      cardsBelow="sm"
      columns={COLUMNS}
      rows={keys}
      keyOf={(key) => key.key_id ?? 'web'}
    />
  )
}

/** Links to the credit transactions of this key. Test keys have none. */
function KeyName({ usage: { key_id, key_name } }: { usage: KeyUsage }) {
  const { mode } = useScene()
  const label = keyLabel({ key_id, key_name })
  if (mode === 'test') return <span className="[overflow-wrap:anywhere]">{label}</span>
  return (
    <Link
      from="/usage"
      to="."
      search={({ skip: _, ...now }) => ({ ...now, key: key_id ?? 'none' })}
      replace
      resetScroll={false}
      className="font-medium [overflow-wrap:anywhere] underline-offset-4 hover:text-accent-text hover:underline"
    >
      {label}
      <span className="sr-only">, show transactions</span>
    </Link>
  )
}
