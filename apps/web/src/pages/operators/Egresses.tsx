import { evidenceOutcomeLabel } from '@probity/contract/constants/labels'
import type { OperatorEgress } from '@probity/contract/schemas/operators'
import { useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleMinus, Clock, Waypoints } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Callout } from '../../ui/Callout.tsx'
import { Card } from '../../ui/Card.tsx'
import { formatClock, formatNumber } from '../../ui/format.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { EmptyState, PageFrame } from '../../ui/States.tsx'
import { type Column, DataTable } from '../../ui/Table.tsx'
import { ConfirmCall } from './ConfirmCall.tsx'
import { egressQuery, nameOf } from './queries.ts'
import { RefreshLine, useRefreshing } from './RefreshLine.tsx'

/** The egresses: HELO names and source addresses of probes. */
export function Egresses() {
  const refreshing = useRefreshing()
  const query = useQuery({
    ...egressQuery,
    refetchInterval: refreshing.everyMs,
  })
  const { isError, refetch, dataUpdatedAt } = query
  return (
    <Card
      title="Egress"
      about="HELO names and source addresses of probes from active workers. Figures cover the last 24 hours. Connections are those to known providers."
    >
      <PageFrame query={query} failed="The egresses could not be loaded" loading="Loading egresses" lines={4}>
        {(data) => (
          <div className="flex flex-col gap-4">
            <RefreshLine refreshing={refreshing} at={dataUpdatedAt} onRefresh={() => void refetch()} />
            {isError && <Callout kind="warning">The data could not be refreshed. It may be out of date.</Callout>}
            {data.egresses.length === 0 ? <NoEgress /> : <EgressTable egresses={data.egresses} />}
          </div>
        )}
      </PageFrame>
    </Card>
  )
}

function NoEgress() {
  return (
    <EmptyState icon={<Waypoints aria-hidden="true" />} title="No worker is probing mail servers">
      <p>
        No active worker has a HELO name. Set <code className="font-mono">PROBITY_SMTP_HELO_NAME</code> and{' '}
        <code className="font-mono">PROBITY_SMTP_MAIL_FROM</code>, then restart the worker.
      </p>
    </EmptyState>
  )
}

const COLUMNS: Column<OperatorEgress>[] = [
  {
    head: 'Name',
    isRowHead: true,
    className: 'min-w-48 align-top font-normal',
    cell: (egress) => <Name of={egress} />,
  },
  { head: 'State', className: 'align-top', cell: (egress) => <EgressState egress={egress} /> },
  { head: 'Workers', align: 'end', className: 'align-top', cell: ({ workers }) => formatNumber(workers) },
  { head: 'Connections', align: 'end', className: 'align-top', cell: ({ connections }) => formatNumber(connections) },
  { head: 'Probes', align: 'end', className: 'align-top', cell: ({ probes_24h: probes }) => formatNumber(probes) },
  { head: 'Blocked', align: 'end', className: 'align-top', cell: ({ blocked_24h: blocked }) => formatNumber(blocked) },
  {
    head: 'Last block',
    className: 'max-w-72 min-w-40 align-top text-[0.8125rem]',
    cell: (egress) => <LastBlock of={egress} />,
  },
]

function EgressTable({ egresses }: { egresses: OperatorEgress[] }) {
  const [asked, setAsked] = useState<OperatorEgress>()
  const drain = (egress: OperatorEgress) => {
    const verb = egress.drained_at ? 'Resume' : 'Drain'
    return (
      <Button size="sm" onClick={() => setAsked(egress)} aria-label={`${verb} ${egress.name}`}>
        {verb}
      </Button>
    )
  }
  return (
    <>
      <DataTable
        caption="Egresses"
        cardsBelow="lg"
        cardLook="boxes"
        columns={[
          ...COLUMNS,
          { head: 'Actions', isHeadHidden: true, align: 'end', className: 'align-top', cell: drain },
        ]}
        rows={egresses}
        keyOf={({ name }) => name}
      />
      {asked && <DrainDialog egress={asked} onClose={() => setAsked(undefined)} />}
    </>
  )
}

function Name({ of: { helo, address, proxy } }: { of: OperatorEgress }) {
  const from = proxy ? `via proxy ${proxy}` : address ? `from ${address}` : 'from the host’s default address'
  return (
    <>
      <p className="font-medium [overflow-wrap:anywhere]">{helo}</p>
      <p className="text-xs text-faint [overflow-wrap:anywhere]">{from}</p>
    </>
  )
}

function LastBlock({ of: { last_block: reply, last_block_at: at } }: { of: OperatorEgress }) {
  if (!reply) return <span className="text-faint">None</span>
  return (
    <>
      <code className="font-mono [overflow-wrap:anywhere]">{reply}</code>
      {at && (
        <p className="text-xs text-faint">
          <RelativeTime at={at} />
        </p>
      )}
    </>
  )
}

function EgressState({ egress: { drained_at, suspensions } }: { egress: OperatorEgress }) {
  if (drained_at) {
    return (
      <Badge tone="unknown" icon={<CircleMinus aria-hidden="true" />}>
        Drained
      </Badge>
    )
  }
  if (suspensions.length > 0) {
    return (
      <div className="flex flex-col gap-1">
        <Badge tone="risky" icon={<Clock aria-hidden="true" />}>
          Suspended
        </Badge>
        <ul className="text-xs text-faint">
          {suspensions.map(({ provider, ends_at: until, reason }) => (
            <li key={provider}>
              {nameOf(provider)} until {formatClock(until)}
              {reason && reason !== 'as_told' && ` (${evidenceOutcomeLabel('recipient', reason)})`}
            </li>
          ))}
        </ul>
      </div>
    )
  }
  return (
    <Badge tone="valid" icon={<CircleCheck aria-hidden="true" />}>
      Active
    </Badge>
  )
}

function DrainDialog({ egress: { name, drained_at }, onClose }: { egress: OperatorEgress; onClose(): void }) {
  const isDrained = drained_at !== null
  return (
    <ConfirmCall
      title={isDrained ? `Resume ${name}?` : `Drain ${name}?`}
      confirm={isDrained ? 'Resume egress' : 'Drain egress'}
      path="/egress_controls"
      body={{ egress: name, is_drained: !isDrained }}
      done={isDrained ? `${name} resumed.` : `${name} drained.`}
      onClose={onClose}
    >
      {isDrained ? (
        <p>Workers send probes from this egress again within 2 seconds.</p>
      ) : (
        <p>
          New probes stop within 2 seconds; probes in progress finish. Deferred addresses are retried from another
          egress, which can trigger greylisting again. Without another egress they wait.
        </p>
      )}
    </ConfirmCall>
  )
}
