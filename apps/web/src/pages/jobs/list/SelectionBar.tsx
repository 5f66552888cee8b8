import type { BulkJob, JobResult } from '@probity/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Ban, Download, Handshake, RotateCw, X } from 'lucide-react'
import { asRequestFailed } from '../../../session/client.ts'
import { useMay, useScene } from '../../../session/workspace.ts'
import { Button, CopyButton } from '../../../ui/Button.tsx'
import { formatCount } from '../../../ui/format.ts'
import { useToasts } from '../../../ui/Toasts.tsx'
import { useAddressDraft } from '../new-list/use-address-draft.ts'
import { readFileForm, sheetOf } from './download.ts'
import { useResultsDownload } from './use-results-download.ts'

type SelectionBarProps = { job: BulkJob; selected: JobResult[]; onClear(): void }

const ICON = 'size-4'

/** The actions for the selected results. All of them are operations of the API and the SDK. */
export function SelectionBar({ job, selected, onClear }: SelectionBarProps) {
  const mayOverride = useMay('account:write')
  const mayCreate = useMay('jobs:write')
  // The address of an erased result is empty.
  const emails = selected.map(({ email }) => email).filter((email) => email !== '')
  const draft = useAddressDraft()
  const { isBusy, start } = useResultsDownload(job.id)
  return (
    <section
      aria-label="Actions for the selected results"
      className="mb-3 flex flex-wrap items-center gap-2 rounded-md bg-accent-soft px-3 py-2"
    >
      <p role="status" className="me-2 font-medium text-accent-text tabular-nums">
        {formatCount(selected.length, 'result')} selected
      </p>
      {mayOverride && <OverrideButtons emails={emails} />}
      {mayCreate && (
        <Button
          size="sm"
          busy={draft.isPending}
          icon={<RotateCw className={ICON} aria-hidden="true" />}
          onClick={() => draft.mutate({ emails, filename: againName(job.filename) })}
        >
          Validate again
        </Button>
      )}
      <CopyButton text={emails.join('\n')} label="Copy addresses" word="Copy" />
      <Button
        size="sm"
        busy={isBusy}
        icon={<Download className={ICON} aria-hidden="true" />}
        onClick={() => start({ ...sheetOf(readFileForm(job.filename)), rows: rowsOf(selected) })}
      >
        Download
      </Button>
      <Button size="sm" look="quiet" icon={<X className={ICON} aria-hidden="true" />} onClick={onClear}>
        Clear selection
      </Button>
    </section>
  )
}

/** A row has several results if its cell has several addresses. */
function rowsOf(selected: JobResult[]): number[] {
  return [...new Set(selected.map(({ row }) => row))]
}

function OverrideButtons({ emails }: { emails: string[] }) {
  const override = useOverride(emails)
  const busyWith = (action: 'allow' | 'block') => override.isPending && override.variables === action
  return (
    <>
      <Button
        size="sm"
        busy={busyWith('allow')}
        icon={<Handshake className={ICON} aria-hidden="true" />}
        onClick={() => override.mutate('allow')}
      >
        Allow
      </Button>
      <Button
        size="sm"
        busy={busyWith('block')}
        icon={<Ban className={ICON} aria-hidden="true" />}
        onClick={() => override.mutate('block')}
      >
        Block
      </Button>
    </>
  )
}

/** The name of the list that validates some addresses of this one again. */
function againName(filename: string): string {
  return `${filename.replace(/\.\w+$/, '')}-again.csv`
}

/** Adds the addresses to the allowlist or the blocklist of the account. */
function useOverride(emails: string[]) {
  const { probity, key } = useScene()
  const queryClient = useQueryClient()
  const toasts = useToasts()
  return useMutation({
    mutationFn: (action: 'allow' | 'block') => probity.overrides.create({ action, targets: emails }),
    onSuccess: (_, action) => {
      toasts.done(
        `${formatCount(emails.length, 'address', 'addresses')} ${action === 'allow' ? 'allowed' : 'blocked'}.`,
      )
      void queryClient.invalidateQueries({ queryKey: [...key, 'overrides'] })
      void queryClient.invalidateQueries({ queryKey: [...key, 'list'] })
    },
    onError: (error) => toasts.failed(`The addresses could not be added. ${asRequestFailed(error).message}`),
  })
}
