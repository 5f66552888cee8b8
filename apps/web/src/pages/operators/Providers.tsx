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
import { Segments } from '../../ui/Segments.tsx'
import { EmptyState, PageFrame } from '../../ui/States.tsx'
import { type Column, DataTable } from '../../ui/Table.tsx'
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
  const query = useQuery({
    ...providersQuery(hours),
    refetchInterval: refreshing.everyMs,
  })
  const { isError, refetch, dataUpdatedAt } = query
  const [asked, setAsked] = useState<ProviderAction>()
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
      <PageFrame query={query} failed="The providers could not be loaded" loading="Loading providers" lines={6}>
        {(data) => (
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
      </PageFrame>
      {asked && <ProviderDialogs asked={asked} onClose={() => setAsked(undefined)} />}
    </Card>
  )
}

type ProviderTableProps = { providers: OperatorProvider[]; onAsk(asked: ProviderAction): void }
type RowProps = { provider: OperatorProvider; onAsk(asked: ProviderAction): void }

const COLUMNS: Column<OperatorProvider>[] = [
  {
    head: 'Provider',
    isRowHead: true,
    className: 'font-medium whitespace-nowrap',
    cell: (row) => nameOf(row.provider),
  },
  { head: 'State', cell: (provider) => <ProviderState provider={provider} /> },
  { head: 'Probes', align: 'end', cell: (provider) => <Probes of={provider} /> },
  { head: 'Conclusive', align: 'end', cell: ({ conclusive }) => shareOf(conclusive) },
  { head: 'Deferred', align: 'end', cell: ({ deferred }) => shareOf(deferred) },
  { head: 'Blocked', align: 'end', cell: ({ blocked }) => shareOf(blocked) },
  { head: 'No response', align: 'end', cell: ({ no_response: noResponse }) => shareOf(noResponse) },
  { head: 'p50', align: 'end', className: 'whitespace-nowrap', cell: ({ p50_ms: ms }) => latencyOf(ms) },
  { head: 'p95', align: 'end', className: 'whitespace-nowrap', cell: ({ p95_ms: ms }) => latencyOf(ms) },
  { head: 'Connections', align: 'end', className: 'whitespace-nowrap', cell: (row) => <Connections of={row} /> },
]

function ProviderTable({ providers, onAsk }: ProviderTableProps) {
  const menu = (provider: OperatorProvider) => <ProviderMenu provider={provider} onAsk={onAsk} />
  return (
    <DataTable
      caption="Providers"
      cardsBelow="lg"
      cardLook="boxes"
      columns={[...COLUMNS, { head: 'Actions', isHeadHidden: true, align: 'end', cell: menu }]}
      rows={providers}
      keyOf={({ provider }) => provider}
    />
  )
}

function Probes({ of: { probes, throttled } }: { of: OperatorProvider }) {
  return (
    <>
      {formatNumber(probes)}
      {throttled > 0 && <p className="text-xs whitespace-nowrap text-faint">{formatNumber(throttled)} throttled</p>}
    </>
  )
}

/** Open connections, and new connections per minute and egress, each with its limit. */
function Connections({ of: provider }: { of: OperatorProvider }) {
  const { connections, connections_max: max } = provider
  const rate = rateOf(provider)
  return (
    <>
      {max === null ? '–' : `${connections} of ${max}`}
      {rate && <p className="text-xs text-faint">{rate}</p>}
    </>
  )
}

function shareOf(share: number | null): string {
  return share === null ? '–' : formatShare(share)
}

function latencyOf(ms: number | null): string {
  return ms === null ? '–' : formatMs(ms)
}

function rateOf({ per_minute, level, rate_percent }: OperatorProvider): string | undefined {
  if (per_minute === null) return undefined
  const now = Math.round(per_minute * level * (rate_percent / 100) * 10) / 10
  return `${formatNumber(now)} of ${formatNumber(per_minute)} new/min`
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
      <>
        <Badge tone="invalid" icon={<Clock aria-hidden="true" />}>
          Suspended
        </Badge>
        <p className="text-xs text-faint">Until {formatClock(provider.suspension_ends_at)}</p>
      </>
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
        Reduced rate
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
type ProviderAction = { kind: 'pause' | 'resume' | 'rate' | 'lift'; provider: OperatorProvider }

type AskedProps = { provider: OperatorProvider; onClose(): void }

function ProviderDialogs({ asked: { kind, provider }, onClose }: { asked: ProviderAction; onClose(): void }) {
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
      confirm="Pause provider"
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
      confirm="Resume provider"
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
