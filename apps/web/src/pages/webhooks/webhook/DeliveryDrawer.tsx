import type { DeliveryError } from '@probity/contract/constants/webhooks'
import type { Webhook, WebhookDeliveryDetail } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleX, RotateCw } from 'lucide-react'
import { useScene } from '../../../session/workspace.ts'
import { Button, CopyButton } from '../../../ui/Button.tsx'
import { CodeBlock } from '../../../ui/Code.tsx'
import { DateTime } from '../../../ui/DateTime.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { formatMs } from '../../../ui/format.ts'
import { PageFrame } from '../../../ui/States.tsx'
import { type Column, DataTable } from '../../../ui/Table.tsx'
import { inShell } from '../../accounts/keys/validate-snippets.ts'
import { DeliveryBadge } from '../WebhookBadges.tsx'
import { deliveryQuery } from '../webhooks.ts'
import { useResend, useWebhookSearch } from './use-webhook.ts'

/** One delivery with its request and attempts. It is open while the URL names it. */
export function DeliveryDrawer({ webhook }: { webhook: Webhook }) {
  const { search, turn } = useWebhookSearch()
  const { delivery, ...rest } = search
  if (delivery === undefined) return null
  return <OpenDelivery webhook={webhook} id={delivery} onClose={() => turn(rest, { replace: true })} />
}

function OpenDelivery({ webhook, id, onClose }: { webhook: Webhook; id: string; onClose(): void }) {
  const query = useQuery(deliveryQuery(useScene(), webhook.id, id))
  return (
    <Dialog drawer open onClose={onClose} title={query.data?.type ?? 'Delivery'} about={webhook.url}>
      <PageFrame query={query} failed="This delivery could not be loaded" loading="Loading delivery" lines={8}>
        {(delivery) => <Details webhook={webhook} delivery={delivery} />}
      </PageFrame>
    </Dialog>
  )
}

type DetailsProps = { webhook: Webhook; delivery: WebhookDeliveryDetail }

function Details({ webhook, delivery }: DetailsProps) {
  const { event_id: eventId, attempts, request, retry_at: retryAt } = delivery
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <DeliveryBadge of={delivery} />
        <ResendButton webhook={webhook} delivery={delivery} />
      </div>
      <dl className="flex flex-col gap-2 text-[0.8125rem] [&_dt]:text-faint">
        <div>
          <dt>Event ID</dt>
          <dd className="flex items-center gap-1">
            <code className="font-mono break-all">{eventId}</code>
            <CopyButton text={eventId} label="Copy event ID" />
          </dd>
        </div>
        <div>
          <dt>Created</dt>
          <dd>
            <DateTime at={delivery.created_at} />
          </dd>
        </div>
        {retryAt !== null && (
          <div>
            <dt>Next attempt</dt>
            <dd>
              <DateTime at={retryAt} />
            </dd>
          </div>
        )}
      </dl>
      <section className="flex flex-col gap-2">
        <h3 className="font-semibold">Attempts</h3>
        {attempts.length > 0 ? <AttemptsTable attempts={attempts} /> : <p className="text-soft">No attempts yet.</p>}
      </section>
      <Sent url={webhook.url} request={request} />
    </div>
  )
}

function ResendButton({ webhook, delivery }: DetailsProps) {
  const resend = useResend(webhook, delivery.id)
  return (
    <Button
      size="sm"
      disabled={!webhook.enabled || delivery.request.body === null}
      busy={resend.isPending}
      icon={<RotateCw className="size-4" aria-hidden="true" />}
      onClick={() => resend.mutate()}
    >
      Resend delivery
    </Button>
  )
}

function Sent({ url, request: { headers, body } }: { url: string; request: WebhookDeliveryDetail['request'] }) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return (
    <>
      {lines.length > 0 && (
        <section className="flex flex-col gap-2">
          <h3 className="font-semibold">Request headers (last attempt)</h3>
          <CodeBlock code={lines.join('\n')} label="Headers" />
        </section>
      )}
      <section className="flex flex-col gap-2">
        <h3 className="font-semibold">Request body</h3>
        {body === null ? (
          <p className="text-soft">The body has expired under the account’s retention setting.</p>
        ) : (
          <>
            <CodeBlock code={indent(body)} label="Body" />
            <div className="flex flex-wrap gap-2">
              <CopyButton text={body} label="Copy the raw body" word="Copy raw body" />
              <CopyButton
                text={webhookCurl({ url, headers, body })}
                label="Copy delivery as curl command"
                word="Copy as curl"
              />
            </div>
          </>
        )}
      </section>
    </>
  )
}

/** Indented for display. The signature covers the raw bytes, so the raw body can be copied as well. */
function indent(body: string): string {
  return JSON.stringify(JSON.parse(body), null, 2)
}

type Attempt = WebhookDeliveryDetail['attempts'][number]

const COLUMNS: Column<Attempt>[] = [
  {
    head: 'Time',
    className: 'whitespace-nowrap text-soft',
    cell: (attempt) => <DateTime at={attempt.attempted_at} seconds />,
  },
  { head: 'Response', cell: (attempt) => <AttemptResponse of={attempt} /> },
  { head: 'Duration', align: 'end', className: 'whitespace-nowrap', cell: (attempt) => formatMs(attempt.duration_ms) },
]

/** The attempts of a delivery, oldest first. By index: two can have the same second, and new ones are added at the end. */
function AttemptsTable({ attempts }: { attempts: Attempt[] }) {
  return <DataTable caption="Attempts" columns={COLUMNS} rows={attempts} keyOf={(_, n) => n} />
}

function AttemptResponse({ of: { http_status: status, error } }: { of: Attempt }) {
  const isTaken = status !== null && status >= 200 && status < 300
  const Icon = isTaken ? CircleCheck : CircleX
  return (
    <span className="flex items-start gap-1.5">
      <Icon
        role="img"
        className={`mt-0.5 size-4 shrink-0 ${isTaken ? 'text-valid' : 'text-invalid'}`}
        aria-label={isTaken ? 'Accepted' : 'Not accepted'}
      />
      {status ?? whyNoAnswer(error)}
    </span>
  )
}

const ERRORS: Record<DeliveryError, string> = {
  dns_failed: 'The DNS lookup failed',
  no_address: 'The host has no IP address',
  not_routable: 'The host has no public IP address',
  refused: 'The connection was refused',
  unreachable: 'The connection could not be established',
  timeout: 'No response within 15 seconds',
  tls_failed: 'The certificate is not valid for the host',
  connection_lost: 'The connection was closed before the response',
  not_http: 'The response was not HTTP',
  url_refused: 'The URL is not allowed',
  event_expired: 'The event had expired',
  not_finished: 'Interrupted on our side',
}

/** Values may be added. */
function whyNoAnswer(error: string | null): string {
  return (ERRORS as Record<string, string>)[error ?? ''] ?? error ?? 'No response'
}

type CurlRequest = { url: string; headers: Record<string, string>; body: string }

/** Headers that curl sets itself. */
const LEFT_OUT = new Set(['content-length', 'host', 'connection'])

/** A delivery as a curl command that sends exactly the signed bytes. */
export function webhookCurl({ url, headers, body }: CurlRequest): string {
  const sent = Object.entries(headers).filter(([name]) => !LEFT_OUT.has(name.toLowerCase()))
  return [
    `curl ${inShell(url)}`,
    ...sent.map(([name, value]) => `-H ${inShell(`${name}: ${value}`)}`),
    `--data-binary ${inShell(body)}`,
  ].join(' \\\n  ')
}
