import type { StalledJob } from '@probity/contract/operator'
import { CircleCheck } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { formatNumber } from '../../ui/format.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Table, Td, Th } from '../../ui/Table.tsx'
import { ConfirmCall } from './ConfirmCall.tsx'

/** Lists of which nothing was done for a quarter of an hour though something could be. */
export function StuckLists({ stuck }: { stuck: StalledJob[] }) {
  const [asked, setAsked] = useState<StalledJob>()
  return (
    <Card
      title="Lists that stand still"
      about="Nothing was done of them for 15 minutes, they are not paused, and not all of what is left waits for its time."
    >
      {stuck.length === 0 ? (
        <p className="flex items-center gap-2 text-soft">
          <CircleCheck className="size-4 text-valid" aria-hidden="true" />
          None does.
        </p>
      ) : (
        <Table caption="Lists that stand still">
          <thead>
            <tr>
              <Th>List</Th>
              <Th>State</Th>
              <Th align="end">Done</Th>
              <Th>Last done</Th>
              <Th align="end">
                <span className="sr-only">Actions</span>
              </Th>
            </tr>
          </thead>
          <tbody className="[&_tr:last-child>*]:border-b-0">
            {stuck.map((list) => (
              <tr key={list.job_id}>
                <th scope="row" className="max-w-72 border-b border-line py-2.5 pe-3 text-start font-normal">
                  <p className="[overflow-wrap:anywhere]">{list.account_name}</p>
                  <code className="font-mono text-xs text-faint [overflow-wrap:anywhere]">{list.job_id}</code>
                </th>
                <Td>{list.status}</Td>
                <Td align="end">
                  {formatNumber(list.done)} of {formatNumber(list.total)}
                </Td>
                <Td>{list.last_done_at ? <RelativeTime at={list.last_done_at} /> : 'Never'}</Td>
                <Td align="end">
                  <Button size="sm" onClick={() => setAsked(list)} aria-label={`Set going again: ${list.job_id}`}>
                    Set going again
                  </Button>
                </Td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      {asked && (
        <ConfirmCall
          title="Set this list going again?"
          confirm="Set going again"
          path={`/queues/jobs/${asked.job_id}/requeue`}
          done="Its batches that nobody works on are let out again."
          onClose={() => setAsked(undefined)}
        >
          <p>
            Batches that were handed to the queue and that nobody works on are let out once more. None is worked on or
            charged twice.
          </p>
        </ConfirmCall>
      )}
    </Card>
  )
}
