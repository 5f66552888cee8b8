import type { OperatorProvider } from '@probity/contract/schemas/operators'
import { CircleCheck, CirclePause, Clock, ClockFading, Ellipsis, Gauge, Pause, Play, TriangleAlert } from 'lucide-react'
import { Badge } from '../../ui/Badge.tsx'
import { IconButton } from '../../ui/Button.tsx'
import { formatClock, formatMs, formatNumber, formatShare } from '../../ui/format.ts'
import { Menu, MenuItem } from '../../ui/Menu.tsx'
import { Table, Td, Th } from '../../ui/Table.tsx'
import { nameOf } from './name-of.ts'
import type { AskedProvider } from './ProviderDialogs.tsx'

type ProviderTableProps = { providers: OperatorProvider[]; onAsk(asked: AskedProvider): void }

export function ProviderTable({ providers, onAsk }: ProviderTableProps) {
  return (
    <Table caption="Providers">
      <thead>
        <tr>
          <Th>Provider</Th>
          <Th>State</Th>
          <Th align="end">Probes</Th>
          <Th align="end">Conclusive</Th>
          <Th align="end">Deferred</Th>
          <Th align="end">Blocked</Th>
          <Th align="end">No response</Th>
          <Th align="end">p50</Th>
          <Th align="end">p95</Th>
          <Th align="end">Connections</Th>
          <Th align="end">Rate</Th>
          <Th align="end">
            <span className="sr-only">Actions</span>
          </Th>
        </tr>
      </thead>
      <tbody className="[&_tr:last-child>*]:border-b-0">
        {providers.map((provider) => (
          <ProviderRow key={provider.provider} provider={provider} onAsk={onAsk} />
        ))}
      </tbody>
    </Table>
  )
}

type RowProps = { provider: OperatorProvider; onAsk(asked: AskedProvider): void }

function ProviderRow({ provider, onAsk }: RowProps) {
  const { probes, throttled, conclusive, deferred, blocked, no_response: noResponse, p50_ms, p95_ms } = provider
  return (
    <tr>
      <th scope="row" className="border-b border-line py-2.5 pe-3 text-start font-medium whitespace-nowrap">
        {nameOf(provider.provider)}
      </th>
      <Td>
        <ProviderState provider={provider} />
      </Td>
      <Td align="end">
        {formatNumber(probes)}
        {throttled > 0 && <p className="text-xs whitespace-nowrap text-faint">{formatNumber(throttled)} throttled</p>}
      </Td>
      <Td align="end">{shareOf(conclusive)}</Td>
      <Td align="end">{shareOf(deferred)}</Td>
      <Td align="end">{shareOf(blocked)}</Td>
      <Td align="end">{shareOf(noResponse)}</Td>
      <Td align="end">{latencyOf(p50_ms)}</Td>
      <Td align="end">{latencyOf(p95_ms)}</Td>
      <Td align="end" className="whitespace-nowrap">
        {provider.connections_max === null ? '–' : `${provider.connections} of ${provider.connections_max}`}
      </Td>
      <Td align="end" className="whitespace-nowrap">
        {rateOf(provider)}
      </Td>
      <Td align="end">
        <ProviderMenu provider={provider} onAsk={onAsk} />
      </Td>
    </tr>
  )
}

function shareOf(share: number | null): string {
  return share === null ? '–' : formatShare(share)
}

function latencyOf(ms: number | null): string {
  return ms === null ? '–' : formatMs(ms)
}

/** New connections per minute and egress: the current rate and the limit. */
function rateOf({ per_minute, level, rate_percent }: OperatorProvider): string {
  if (per_minute === null) return '–'
  const now = Math.round(per_minute * level * (rate_percent / 100) * 10) / 10
  return `${formatNumber(now)} of ${formatNumber(per_minute)}/min`
}

const BLOCKED_MUCH = 0.2

function ProviderState({ provider }: { provider: OperatorProvider }) {
  if (provider.paused_at) {
    return (
      <Badge tone="risky" icon={<CirclePause aria-hidden="true" />}>
        Paused
      </Badge>
    )
  }
  if (provider.suspension_ends_at) {
    return (
      <Badge tone="invalid" icon={<Clock aria-hidden="true" />}>
        Suspended until {formatClock(provider.suspension_ends_at)}
      </Badge>
    )
  }
  if ((provider.blocked ?? 0) > BLOCKED_MUCH) {
    return (
      <Badge tone="invalid" icon={<TriangleAlert aria-hidden="true" />}>
        Blocked
      </Badge>
    )
  }
  if (provider.rate_percent < 100 || provider.level < 1) {
    return (
      <Badge tone="risky" icon={<Gauge aria-hidden="true" />}>
        Throttled
      </Badge>
    )
  }
  return (
    <Badge tone="valid" icon={<CircleCheck aria-hidden="true" />}>
      OK
    </Badge>
  )
}

function ProviderMenu({ provider, onAsk }: RowProps) {
  const name = nameOf(provider.provider)
  const isPaused = provider.paused_at !== null
  return (
    <Menu
      label={`Actions for ${name}`}
      trigger={
        <IconButton label={`Actions for ${name}`} size="sm">
          <Ellipsis />
        </IconButton>
      }
    >
      {isPaused ? (
        <MenuItem icon={<Play aria-hidden="true" />} onSelect={() => onAsk({ kind: 'resume', provider })}>
          Resume
        </MenuItem>
      ) : (
        <MenuItem icon={<Pause aria-hidden="true" />} onSelect={() => onAsk({ kind: 'pause', provider })}>
          Pause
        </MenuItem>
      )}
      <MenuItem icon={<Gauge aria-hidden="true" />} onSelect={() => onAsk({ kind: 'rate', provider })}>
        Change rate
      </MenuItem>
      {provider.suspended_egresses > 0 && (
        <MenuItem icon={<ClockFading aria-hidden="true" />} onSelect={() => onAsk({ kind: 'lift', provider })}>
          Lift suspension
        </MenuItem>
      )}
    </Menu>
  )
}
