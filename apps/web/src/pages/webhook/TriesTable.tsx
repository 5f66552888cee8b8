import type { DeliveryError } from '@probity/contract/webhook-deliveries'
import type { WholeWebhookDelivery } from '@probity/sdk'
import { CircleCheck, CircleX } from 'lucide-react'
import { formatMs, formatTime } from '../../ui/format.ts'
import { Table, Td, Th } from '../../ui/Table.tsx'

type Try = WholeWebhookDelivery['tries'][number]

/** What came of each try, the first one first. */
export function TriesTable({ tries }: { tries: Try[] }) {
  return (
    <Table caption="Tries">
      <thead>
        <tr>
          <Th>When</Th>
          <Th>Answer</Th>
          <Th align="end">Took</Th>
        </tr>
      </thead>
      <tbody className="[&_tr:last-child>td]:border-b-0">
        {tries.map((one, n) => (
          // By its place: tries are only ever added at the end, and two may be of the same second.
          <tr key={n}>
            <Td className="whitespace-nowrap text-soft">{formatTime(one.at)}</Td>
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

function Answer({ of: { status, error } }: { of: Try }) {
  const isTaken = status !== null && status >= 200 && status < 300
  const Icon = isTaken ? CircleCheck : CircleX
  return (
    <span className="flex items-start gap-1.5">
      <Icon
        role="img"
        className={`mt-0.5 size-4 shrink-0 ${isTaken ? 'text-valid' : 'text-invalid'}`}
        aria-label={isTaken ? 'Taken' : 'Not taken'}
      />
      {status ?? whyNoAnswer(error)}
    </span>
  )
}

const ERRORS: Record<DeliveryError, string> = {
  dns_failed: 'DNS did not answer',
  no_address: 'The host has no address',
  not_routable: 'The host is not on the public internet',
  refused: 'The connection was refused',
  unreachable: 'No connection could be made',
  timeout: 'No answer in 15 seconds',
  tls_failed: 'The certificate is not valid for the host',
  connection_lost: 'The connection broke before the answer',
  not_http: 'The answer was not HTTP',
  url_refused: 'We do not send to such a URL',
  event_removed: 'The event had been removed',
  not_finished: 'We broke off ourselves',
}

/** The list is open. */
function whyNoAnswer(error: string | null): string {
  return (ERRORS as Record<string, string>)[error ?? ''] ?? error ?? 'No answer'
}
