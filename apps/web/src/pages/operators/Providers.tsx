import type { OperatorProvider } from '@probity/contract/schemas/operators'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import {
  CircleCheck,
  CirclePause,
  Clock,
  ClockFading,
  Ellipsis,
  Gauge,
  Mails,
  Pause,
  Play,
  TriangleAlert,
} from 'lucide-react'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { Badge } from '../../ui/Badge.tsx'
import { Button, IconButton } from '../../ui/Button.tsx'
import { Callout } from '../../ui/Callout.tsx'
import { Card } from '../../ui/Card.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field, SelectInput } from '../../ui/Field.tsx'
import { FormSummary, useSubmit } from '../../ui/Form.tsx'
import { formatClock, formatMs, formatNumber, formatShare } from '../../ui/format.ts'
import { Menu, MenuItem } from '../../ui/Menu.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/States.tsx'
import { Table, Td, Th } from '../../ui/Table.tsx'
import { Segments } from '../../ui/Tabs.tsx'
import { ConfirmCall, useOperatorCall } from './ConfirmCall.tsx'
import { nameOf, providersQuery } from './queries.ts'
import { RefreshLine, useRefreshing } from './RefreshLine.tsx'
import { HOURS_USUAL, type Hours } from './search.ts'

const CHOICES = [
  { value: '1', label: '1 hour' },
  { value: '24', label: '24 hours' },
  { value: '168', label: '7 days' },
] as const

/** Probe results by provider, and the limits in effect. */
export function Providers() {
  const { hours = HOURS_USUAL } = useSearch({ from: '/shell/operator/providers' })
  const navigate = useNavigate({ from: '/operator/providers' })
  const refreshing = useRefreshing()
  const { data, error, isError, refetch, dataUpdatedAt } = useQuery({
    ...providersQuery(hours),
    refetchInterval: refreshing.everyMs,
  })
  const [asked, setAsked] = useState<AskedProvider>()
  const choose = (text: string) =>
    void navigate({
      search: (now) => ({
        mode: now.mode,
        org: now.org,
        ...(Number(text) !== HOURS_USUAL && { hours: Number(text) as Hours }),
      }),
      replace: true,
      resetScroll: false,
    })
  return (
    <Card
      title="Providers"
      about="SMTP probe results by mailbox provider, in hourly buckets including the current hour. Addresses decided without a probe are not counted."
      actions={<Segments label="Time range" size="sm" value={String(hours)} choices={CHOICES} onChange={choose} />}
    >
      {data === undefined ? (
        isError ? (
          <ErrorState error={error} onRetry={() => void refetch()} what="The providers could not be loaded" />
        ) : (
          <Skeleton lines={6} label="Loading providers" />
        )
      ) : (
        <div className="flex flex-col gap-4">
          <RefreshLine refreshing={refreshing} at={dataUpdatedAt} onRefresh={() => void refetch()} />
          {isError && <Callout kind="warning">The data could not be refreshed. It may be out of date.</Callout>}
          {data.providers.length === 0 ? (
            <EmptyState icon={<Mails aria-hidden="true" />} title="No probes in this period">
              Figures appear within seconds of the first probe.
            </EmptyState>
          ) : (
            <ProviderTable providers={data.providers} onAsk={setAsked} />
          )}
        </div>
      )}
      {asked && <ProviderDialogs asked={asked} onClose={() => setAsked(undefined)} />}
    </Card>
  )
}

type ProviderTableProps = { providers: OperatorProvider[]; onAsk(asked: AskedProvider): void }

function ProviderTable({ providers, onAsk }: ProviderTableProps) {
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

/** The action that an operator has chosen for a provider. */
type AskedProvider = { kind: 'pause' | 'resume' | 'rate' | 'lift'; provider: OperatorProvider }

type AskedProps = { provider: OperatorProvider; onClose(): void }

function ProviderDialogs({ asked: { kind, provider }, onClose }: { asked: AskedProvider; onClose(): void }) {
  switch (kind) {
    case 'pause':
      return <PauseDialog provider={provider} onClose={onClose} />
    case 'resume':
      return <ResumeDialog provider={provider} onClose={onClose} />
    case 'rate':
      return <RateDialog provider={provider} onClose={onClose} />
    case 'lift':
      return <LiftDialog provider={provider} onClose={onClose} />
  }
}

function PauseDialog({ provider: { provider }, onClose }: AskedProps) {
  const name = nameOf(provider)
  return (
    <ConfirmCall
      title={`Pause probing ${name}?`}
      confirm="Pause"
      path="/provider_controls"
      body={{ provider, is_paused: true }}
      done={`Probing paused for ${name}.`}
      onClose={onClose}
    >
      <p>
        Workers stop probing this provider within 2 seconds. Lists wait, for several hours at most. Single requests
        return <code className="font-mono">unknown</code> with <code className="font-mono">retry_at</code> and are
        refunded if no result follows.
      </p>
    </ConfirmCall>
  )
}

function ResumeDialog({ provider: { provider }, onClose }: AskedProps) {
  const name = nameOf(provider)
  return (
    <ConfirmCall
      title={`Resume probing ${name}?`}
      confirm="Resume"
      path="/provider_controls"
      body={{ provider, is_paused: false }}
      done={`Probing resumed for ${name}.`}
      onClose={onClose}
    >
      <p>Waiting addresses resume within a minute, within the provider’s limits.</p>
    </ConfirmCall>
  )
}

function LiftDialog({ provider: { provider }, onClose }: AskedProps) {
  const name = nameOf(provider)
  return (
    <ConfirmCall
      title={`Lift the suspension of ${name}?`}
      confirm="Lift suspension"
      path="/providers/lift-suspension"
      body={{ provider }}
      done={`Suspension of ${name} lifted.`}
      onClose={onClose}
    >
      <p>
        Workers connect to {name} again at once, from all egresses. Deferred addresses keep their retry time. If the
        provider still blocks this installation, it is suspended again.
      </p>
    </ConfirmCall>
  )
}

const RATES = [100, 75, 50, 25, 10, 5] as const

function RateDialog({ provider: { provider, rate_percent }, onClose }: AskedProps) {
  const call = useOperatorCall()
  const name = nameOf(provider)
  const form = useForm({ defaultValues: { rate_percent: String(rate_percent) }, shouldFocusError: false })
  const submit = useSubmit(form, async ({ rate_percent: chosen }) => {
    await call('/provider_controls', { provider, rate_percent: Number(chosen) }, `Rate of ${name} set to ${chosen}%.`)
    onClose()
  })
  const { isSubmitting, isDirty } = form.formState
  return (
    <Dialog open onClose={onClose} title={`Rate of ${name}`}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <FormSummary form={form} />
        <Field
          label="Rate"
          hint="Percentage of the provider’s limits for open and new connections. The minimum is one connection."
        >
          {(ids) => (
            <SelectInput {...ids} {...form.register('rate_percent')}>
              {[...new Set([...RATES, rate_percent])].map((rate) => (
                <option key={rate} value={rate}>
                  {rate}%
                </option>
              ))}
            </SelectInput>
          )}
        </Field>
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={isSubmitting} disabled={!isDirty}>
            Change rate
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
