import { REPORT_LINK_DAYS_DEFAULT } from '@probity/contract/constants/limits'
import type { BulkJob, ReportLink } from '@probity/sdk'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link2, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { asRequestFailed } from '../../../session/client.ts'
import { type Scene, useScene } from '../../../session/workspace.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field, SelectInput } from '../../../ui/Field.tsx'
import { formatDate, formatDateTime } from '../../../ui/format.ts'
import { SecretField } from '../../../ui/Secret.tsx'
import { PageFrame } from '../../../ui/States.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'

const DAYS = [7, REPORT_LINK_DAYS_DEFAULT, 90]

/** Creates and revokes links to the report of a list. */
export function ShareDialog({ job, onClose }: { job: BulkJob; onClose(): void }) {
  const links = useQuery(linksQuery(useScene(), job.id))
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="Share a report"
      about="Readers of the link need no login. They see the name of the list, its sums and charts, and never an address or a domain."
    >
      <div className="flex flex-col gap-6">
        <NewLink job={job} />
        <section aria-labelledby="report-links" className="flex flex-col gap-2">
          <h3 id="report-links" className="font-semibold">
            Links
          </h3>
          <PageFrame query={links} failed="The links could not be loaded" loading="Loading links" lines={2}>
            {(data) => <Links job={job} links={data} />}
          </PageFrame>
        </section>
      </div>
    </Dialog>
  )
}

function NewLink({ job }: { job: BulkJob }) {
  const scene = useScene()
  const queryClient = useQueryClient()
  const [days, setDays] = useState(REPORT_LINK_DAYS_DEFAULT)
  const creation = useMutation({
    mutationFn: () => scene.probity.jobs.reportLinks.create(job.id, { expiresInDays: days }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: linksQuery(scene, job.id).queryKey }),
  })
  const { data: created } = creation
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-end gap-3">
        <Field label="Expires after" className="min-w-40 flex-1">
          {(ids) => (
            <SelectInput {...ids} value={days} onChange={({ target }) => setDays(Number(target.value))}>
              {DAYS.map((count) => (
                <option key={count} value={count}>
                  {count} days
                </option>
              ))}
            </SelectInput>
          )}
        </Field>
        <Button
          look="primary"
          busy={creation.isPending}
          icon={<Link2 className="size-4" aria-hidden="true" />}
          onClick={() => creation.mutate()}
        >
          Create link
        </Button>
      </div>
      {creation.isError && (
        <Callout kind="error" live>
          {asRequestFailed(creation.error).message}
        </Callout>
      )}
      {created && (
        <Callout live title="Copy the link now. It is shown once.">
          <div className="mt-2" key={created.id}>
            <SecretField label={`Link, expires ${formatDate(created.expires_at)}`} noun="link" value={created.url} />
          </div>
        </Callout>
      )}
    </div>
  )
}

function Links({ job, links }: { job: BulkJob; links: ReportLink[] }) {
  const scene = useScene()
  const queryClient = useQueryClient()
  const toasts = useToasts()
  const revocation = useMutation({
    mutationFn: (linkId: string) => scene.probity.jobs.reportLinks.revoke(job.id, linkId),
    onSuccess: () => toasts.done('Report link revoked.'),
    onError: (error) => toasts.failed(asRequestFailed(error).message),
    onSettled: () => queryClient.invalidateQueries({ queryKey: linksQuery(scene, job.id).queryKey }),
  })
  if (links.length === 0) return <p className="text-soft">No links. The report is not shared.</p>
  return (
    <ul className="divide-y divide-line">
      {links.map(({ id, created_at, expires_at }) => (
        <li key={id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
          <span>
            Created {formatDateTime(created_at)}, <span className="text-soft">expires {formatDate(expires_at)}</span>
          </span>
          <IconButton
            size="sm"
            label={`Revoke the link of ${formatDateTime(created_at)}`}
            busy={revocation.isPending && revocation.variables === id}
            onClick={() => revocation.mutate(id)}
          >
            <Trash2 aria-hidden="true" />
          </IconButton>
        </li>
      ))}
    </ul>
  )
}

function linksQuery({ key, probity }: Scene, jobId: string) {
  return queryOptions({
    queryKey: [...key, 'list', jobId, 'report links'],
    queryFn: ({ signal }) => probity.jobs.reportLinks.list(jobId, { signal }),
  })
}
