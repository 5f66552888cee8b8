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
import { EmptyState, ErrorState, Skeleton } from '../../ui/States.tsx'
import { Table, Td, Th } from '../../ui/Table.tsx'
import { ConfirmCall } from './ConfirmCall.tsx'
import { egressQuery, nameOf } from './queries.ts'
import { RefreshLine, useRefreshing } from './RefreshLine.tsx'

/** The egresses: HELO names and source addresses of probes. */
export function Egresses() {
  const refreshing = useRefreshing()
  const { data, error, isError, refetch, dataUpdatedAt } = useQuery({
    ...egressQuery,
    refetchInterval: refreshing.everyMs,
  })
  return (
    <Card
      title="Egress"
      about="HELO names and source addresses that active workers send probes from. Figures cover the last 24 hours. Connections count known providers only."
    >
      {data === undefined ? (
        isError ? (
          <ErrorState error={error} onRetry={() => void refetch()} what="The egresses could not be loaded" />
        ) : (
          <Skeleton lines={4} label="Loading egresses" />
        )
      ) : (
        <div className="flex flex-col gap-4">
          <RefreshLine refreshing={refreshing} at={dataUpdatedAt} onRefresh={() => void refetch()} />
          {isError && <Callout kind="warning">The data could not be refreshed. It may be out of date.</Callout>}
          {data.egresses.length === 0 ? <NoEgress /> : <EgressTable egresses={data.egresses} />}
        </div>
      )}
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

function EgressTable({ egresses }: { egresses: OperatorEgress[] }) {
  const [asked, setAsked] = useState<OperatorEgress>()
  return (
    <>
      <Table caption="Egresses">
        <thead>
          <tr>
            <Th>Name</Th>
            <Th>State</Th>
            <Th align="end">Workers</Th>
            <Th align="end">Connections</Th>
            <Th align="end">Probes</Th>
            <Th align="end">Blocked</Th>
            <Th>Last block</Th>
            <Th align="end">
              <span className="sr-only">Actions</span>
            </Th>
          </tr>
        </thead>
        <tbody className="[&_tr:last-child>*]:border-b-0">
          {egresses.map((egress) => (
            <EgressRow key={egress.name} egress={egress} onAsk={() => setAsked(egress)} />
          ))}
        </tbody>
      </Table>
      {asked && <DrainDialog egress={asked} onClose={() => setAsked(undefined)} />}
    </>
  )
}

function EgressRow({ egress, onAsk }: { egress: OperatorEgress; onAsk(): void }) {
  const { name, helo, address, proxy, drained_at, last_block, last_block_at } = egress
  const from = proxy ? `via proxy ${proxy}` : address ? `from ${address}` : 'from the host’s default address'
  return (
    <tr>
      <th scope="row" className="min-w-48 border-b border-line py-2.5 pe-3 text-start align-top font-normal">
        <p className="font-medium [overflow-wrap:anywhere]">{helo}</p>
        <p className="text-xs text-faint [overflow-wrap:anywhere]">{from}</p>
      </th>
      <Td className="align-top">
        <EgressState egress={egress} />
      </Td>
      <Td align="end" className="align-top">
        {formatNumber(egress.workers)}
      </Td>
      <Td align="end" className="align-top">
        {formatNumber(egress.connections)}
      </Td>
      <Td align="end" className="align-top">
        {formatNumber(egress.probes_24h)}
      </Td>
      <Td align="end" className="align-top">
        {formatNumber(egress.blocked_24h)}
      </Td>
      <Td className="max-w-72 min-w-40 align-top text-[0.8125rem]">
        {last_block ? (
          <>
            <code className="font-mono [overflow-wrap:anywhere]">{last_block}</code>
            {last_block_at && (
              <p className="text-xs text-faint">
                <RelativeTime at={last_block_at} />
              </p>
            )}
          </>
        ) : (
          <span className="text-faint">None</span>
        )}
      </Td>
      <Td align="end" className="align-top">
        <Button size="sm" onClick={onAsk} aria-label={`${drained_at ? 'Resume' : 'Drain'} ${name}`}>
          {drained_at ? 'Resume' : 'Drain'}
        </Button>
      </Td>
    </tr>
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
              {reason && reason !== 'as_told' && `: ${reason.replaceAll('_', ' ')}`}
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
      confirm={isDrained ? 'Resume' : 'Drain'}
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
