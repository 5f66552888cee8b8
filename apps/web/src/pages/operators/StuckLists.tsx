import { jobStatusLabel } from '@probity/contract/constants/labels'
import type { StalledJob } from '@probity/contract/schemas/operators'
import { CircleCheck } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { formatNumber } from '../../ui/format.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Table, Td, Th } from '../../ui/Table.tsx'
import { ConfirmCall } from './ConfirmCall.tsx'

/** Lists without progress for 15 minutes although work is ready. */
export function StuckLists({ stuck }: { stuck: StalledJob[] }) {
  const [asked, setAsked] = useState<StalledJob>()
  return (
    <Card
      title="Stalled lists"
      about="No progress for 15 minutes, not paused, and at least one address is ready to process."
    >
      {stuck.length === 0 ? (
        <p className="flex items-center gap-2 text-soft">
          <CircleCheck className="size-4 text-valid" aria-hidden="true" />
          No stalled lists.
        </p>
      ) : (
        <Table caption="Stalled lists">
          <thead>
            <tr>
              <Th>List</Th>
              <Th>State</Th>
              <Th align="end">Completed</Th>
              <Th>Last progress</Th>
              <Th align="end">
                <span className="sr-only">Actions</span>
              </Th>
            </tr>
          </thead>
          <tbody className="[&_tr:last-child>*]:border-b-0">
            {stuck.map((list) => (
              <StuckList key={list.job_id} list={list} onRequeue={() => setAsked(list)} />
            ))}
          </tbody>
        </Table>
      )}
      {asked && (
        <ConfirmCall
          title="Requeue this list?"
          confirm="Requeue"
          path={`/queues/jobs/${asked.job_id}/requeue`}
          done="Unclaimed batches were requeued."
          onClose={() => setAsked(undefined)}
        >
          <p>
            Dispatched batches that no worker has claimed are enqueued again. No address is validated or charged twice.
          </p>
        </ConfirmCall>
      )}
    </Card>
  )
}

function StuckList({ list, onRequeue }: { list: StalledJob; onRequeue(): void }) {
  return (
    <tr>
      <th scope="row" className="max-w-72 min-w-48 border-b border-line py-2.5 pe-3 text-start font-normal">
        <p className="[overflow-wrap:anywhere]">{list.account_name}</p>
        <code className="font-mono text-xs text-faint [overflow-wrap:anywhere]">{list.job_id}</code>
      </th>
      <Td>{jobStatusLabel(list.status)}</Td>
      <Td align="end">
        {formatNumber(list.done)} of {formatNumber(list.total)}
      </Td>
      <Td>{list.last_done_at ? <RelativeTime at={list.last_done_at} /> : 'Never'}</Td>
      <Td align="end">
        <Button size="sm" onClick={onRequeue} aria-label={`Requeue: ${list.job_id}`}>
          Requeue
        </Button>
      </Td>
    </tr>
  )
}
