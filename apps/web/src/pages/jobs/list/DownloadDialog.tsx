import type { BulkJob } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { Download as DownloadIcon } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useScene } from '../../../session/workspace.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Checkbox, Field, Radio, SelectInput } from '../../../ui/Field.tsx'
import { formatBytes } from '../../../ui/format.ts'
import { policiesQuery } from '../../accounts/policies/policies.ts'
import { type Download, useDownload, usePreset, type Wanted } from './download.ts'
import { breakdownQuery, isExpired } from './queries.ts'

type Kind = 'sheet' | 'keep' | 'remove' | 'lines'

/** All exports of a list. */
export function DownloadDialog({ job }: { job: BulkJob }) {
  const [isOpen, setOpen] = useState(false)
  const isUnderWay = job.finished_at === null
  const { error } = useQuery({ ...breakdownQuery(useScene(), job), enabled: !isUnderWay })
  if (isExpired(error)) return null
  return (
    <>
      <Button
        look={isUnderWay ? 'secondary' : 'primary'}
        icon={<DownloadIcon className="size-4" aria-hidden="true" />}
        onClick={() => setOpen(true)}
      >
        {isUnderWay ? 'Download results so far' : 'Download'}
      </Button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title="Download" about={job.filename}>
        <DownloadForm job={job} />
      </Dialog>
    </>
  )
}

function DownloadForm({ job }: { job: BulkJob }) {
  const { download, start } = useDownload(job.id)
  const [kind, setKind] = useState<Kind>('sheet')
  const [hasBom, setBom] = useState(false)
  const [policy, setPolicy] = useState('')
  const { preset, word } = usePreset()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void start({ ...wantedOf(kind, { preset, bom: hasBom }), ...(policy !== '' && { policy }) })
  }
  const choices = choicesOf(job.finished_at === null, word)
  return (
    <form onSubmit={submit} className="flex flex-col gap-5">
      <fieldset className="flex flex-col gap-3">
        <legend className="sr-only">File</legend>
        {choices.map(({ value, label, hint }) => (
          <Radio
            key={value}
            name="kind"
            value={value}
            checked={kind === value}
            onChange={() => setKind(value)}
            label={label}
            hint={hint}
          />
        ))}
      </fieldset>
      <PolicyChoice chosen={policy} onChoose={setPolicy} />
      {kind !== 'lines' && (
        <div className="flex flex-col gap-2 border-t border-line pt-4">
          <Checkbox
            checked={hasBom}
            onChange={({ target }) => setBom(target.checked)}
            label="Excel-compatible (UTF-8 BOM)"
            hint="Adds a byte order mark so that Excel reads the file as UTF-8."
          />
          <p className="text-[0.8125rem] text-faint">
            Cells that a spreadsheet would run as a formula are prefixed with an apostrophe (').
          </p>
        </div>
      )}
      <DownloadState download={download} />
      <Button type="submit" look="primary" busy={download.kind === 'busy'} className="self-start max-sm:self-stretch">
        Download
      </Button>
    </form>
  )
}

/** Adds the decision of a policy to each address. */
function PolicyChoice({ chosen, onChoose }: { chosen: string; onChoose(name: string): void }) {
  const { data = [] } = useQuery(policiesQuery(useScene()))
  return (
    <Field
      label="Apply a policy"
      optional
      hint="Adds the decision (allow, review or block) and its reason to each row."
    >
      {(ids) => (
        <SelectInput {...ids} value={chosen} onChange={({ target }) => onChoose(target.value)} className="max-w-72">
          <option value="">No policy</option>
          {data.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </SelectInput>
      )}
    </Field>
  )
}

type Choice = { value: Kind; label: string; hint: string }

function choicesOf(isUnderWay: boolean, plan: string): Choice[] {
  const sheet: Choice = {
    value: 'sheet',
    label: 'Original file with result columns (CSV)',
    hint: isUnderWay
      ? 'Original rows and order. Rows without a result have empty columns.'
      : 'Original rows and order, with result columns appended.',
  }
  const lines: Choice = { value: 'lines', label: 'JSON Lines', hint: 'One result per line.' }
  if (isUnderWay) return [sheet, lines]
  return [
    sheet,
    { value: 'keep', label: 'Keep list (CSV)', hint: `Rows kept by the “${plan}” preset.` },
    { value: 'remove', label: 'Remove list (CSV)', hint: `Rows removed by the “${plan}” preset.` },
    lines,
  ]
}

function wantedOf(kind: Kind, { preset, bom }: { preset: string; bom: boolean }): Wanted {
  if (kind === 'lines') return { format: 'ndjson' }
  const sheet: Wanted = { format: 'csv', ...(bom && { bom }) }
  return kind === 'sheet' ? sheet : { ...sheet, preset, part: kind }
}

/** The state of a download, also for screen readers. */
export function DownloadState({ download }: { download: Download }) {
  return (
    <>
      <p role="status" className="text-[0.8125rem] text-soft empty:hidden">
        {download.kind === 'busy' && 'Preparing the file.'}
        {download.kind === 'done' && `${download.name} downloaded.`}
      </p>
      {download.kind === 'busy' && download.bytes > 0 && (
        <p className="text-[0.8125rem] text-soft tabular-nums">{formatBytes(download.bytes)} received</p>
      )}
      {download.kind === 'failed' && (
        <Callout kind="error" live title="The file could not be downloaded">
          <p>{download.error.message}</p>
          {download.error.code === 'file_removed' && (
            <p>Uploaded files are kept for 7 days. The results are still available as JSON Lines.</p>
          )}
          {download.error.requestId && (
            <p className="mt-1 font-mono text-xs break-all">Request ID: {download.error.requestId}</p>
          )}
        </Callout>
      )}
    </>
  )
}
