import type { DeliveryError } from '@probity/contract/constants/webhooks'
import type { WebhookDeliveryDetail } from '@probity/sdk'
import { CircleCheck, CircleX } from 'lucide-react'
import { formatMs, formatTime } from '../../../ui/format.ts'
import { Table, Td, Th } from '../../../ui/Table.tsx'

type Attempt = WebhookDeliveryDetail['attempts'][number]

/** The attempts of a delivery, oldest first. */
export function AttemptsTable({ attempts }: { attempts: Attempt[] }) {
  return (
    <Table caption="Attempts">
      <thead>
        <tr>
          <Th>Time</Th>
          <Th>Response</Th>
          <Th align="end">Duration</Th>
        </tr>
      </thead>
      <tbody className="[&_tr:last-child>td]:border-b-0">
        {attempts.map((one, n) => (
          // By index: attempts are only added at the end, and two can have the same second.
          <tr key={n}>
            <Td className="whitespace-nowrap text-soft">{formatTime(one.attempted_at)}</Td>
            <Td>
              <Answer of={one} />
            </Td>
            <Td align="end" className="whitespace-nowrap">
              {formatMs(one.duration_ms)}
            </Td>
          </tr>
        ))}
      </tbody>
    </Table>
  )
}

function Answer({ of: { http_status: status, error } }: { of: Attempt }) {
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
