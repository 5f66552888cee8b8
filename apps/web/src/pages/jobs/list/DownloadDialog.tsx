import { countLeftOut } from '@probity/contract/constants/texts/jobs'
import type { BulkJob, JobBreakdown } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { Download as DownloadIcon } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useScene } from '../../../session/workspace.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Checkbox, Field, Radio, SelectInput } from '../../../ui/Field.tsx'
import { formatBytes, formatNumber } from '../../../ui/format.ts'
import { policiesQuery } from '../../accounts/policies/policies.ts'
import {
  type Download,
  type FileForm,
  readFileForm,
  rememberFileForm,
  sheetOf,
  useDownload,
  usePreset,
  type Wanted,
} from './download.ts'
import { breakdownQuery, isExpired } from './queries.ts'

type Kind = 'sheet' | 'keep' | 'remove' | 'left_out' | 'lines'

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
        <DownloadForm job={job} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

function DownloadForm({ job, onClose }: { job: BulkJob; onClose(): void }) {
  const { download, start } = useDownload(job.id)
  const [kind, setKind] = useState<Kind>('sheet')
  const { form, change } = useSheetForm(kind, job.filename)
  const [policy, setPolicy] = useState('')
  const { preset, word } = usePreset()
  const plan = usePlan(job, preset)
  const choices = choicesOf(job, { word, plan })
  const hasPolicy = kind === 'lines' || (kind !== 'left_out' && !form.ownColumns)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const wanted = wantedOf(kind, { preset, ...form })
    void start({ ...wanted, ...(policy !== '' && hasPolicy && { policy }) })
  }
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
      {kind !== 'lines' && <SheetOptions form={form} onChange={change} hasResults={kind !== 'left_out'} />}
      {hasPolicy && <PolicyChoice chosen={policy} onChoose={setPolicy} />}
      <DownloadState download={download} />
      <div className="flex flex-wrap gap-2 *:max-sm:flex-1">
        <Button type="submit" look="primary" busy={download.kind === 'busy'}>
          {choices.find(({ value }) => value === kind)?.button ?? 'Download'}
        </Button>
        <Button onClick={onClose}>{download.kind === 'done' ? 'Close' : 'Cancel'}</Button>
      </div>
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

type SheetForm = FileForm & { unique: boolean; ownColumns: boolean }

/** The options of a sheet. Duplicates and columns have a default for each kind; the form of the file is remembered. */
function useSheetForm(kind: Kind, filename: string) {
  const [file, setFile] = useState(() => readFileForm(filename))
  const [chosen, setChosen] = useState<Partial<Pick<SheetForm, 'unique' | 'ownColumns'>>>({})
  const defaults = { unique: kind !== 'sheet', ownColumns: kind === 'keep' }
  const change = (next: Partial<SheetForm>) => {
    const { unique, ownColumns, ...form } = next
    setChosen({ ...chosen, ...(unique !== undefined && { unique }), ...(ownColumns !== undefined && { ownColumns }) })
    if (Object.keys(form).length === 0) return
    setFile({ ...file, ...form })
    rememberFileForm(form)
  }
  return { form: { ...file, ...defaults, ...chosen }, change }
}

type OptionsProps = { form: SheetForm; onChange(next: Partial<SheetForm>): void }

function SheetOptions({ form, onChange, hasResults }: OptionsProps & { hasResults: boolean }) {
  return (
    <fieldset className="flex flex-col gap-3 border-t border-line pt-4">
      <legend className="sr-only">Options</legend>
      <Field label="Format" hint="Your choice is remembered in this browser.">
        {(ids) => (
          <SelectInput
            {...ids}
            value={form.format}
            onChange={({ target }) => onChange({ format: target.value === 'xlsx' ? 'xlsx' : 'csv' })}
            className="max-w-72"
          >
            <option value="csv">CSV</option>
            <option value="xlsx">Excel workbook (XLSX)</option>
          </SelectInput>
        )}
      </Field>
      {hasResults && (
        <>
          <Checkbox
            checked={form.unique}
            onChange={({ target }) => onChange({ unique: target.checked })}
            label="Remove duplicates"
            hint="One row per address: the first."
          />
          <Checkbox
            checked={form.ownColumns}
            onChange={({ target }) => onChange({ ownColumns: target.checked })}
            label="Only my columns"
            hint="Without result columns. The email column has the addresses without names."
          />
        </>
      )}
      {form.format === 'xlsx' ? (
        <p className="text-[0.8125rem] text-faint">All cells are texts, so that no cell is run as a formula.</p>
      ) : (
        <CsvOptions form={form} onChange={onChange} />
      )}
    </fieldset>
  )
}

function CsvOptions({ form, onChange }: OptionsProps) {
  return (
    <>
      <Field label="Byte order mark" hint="Excel needs the mark to read accents correctly. Your choice is remembered.">
        {(ids) => (
          <SelectInput
            {...ids}
            value={form.bom === undefined ? 'auto' : String(form.bom)}
            onChange={({ target }) => onChange({ bom: BOM_CHOICES[target.value] })}
            className="max-w-72"
          >
            <option value="auto">As in the uploaded file</option>
            <option value="true">Add, for Excel</option>
            <option value="false">Omit</option>
          </SelectInput>
        )}
      </Field>
      <p className="text-[0.8125rem] text-faint">
        Cells that a spreadsheet would run as a formula are prefixed with an apostrophe (').
      </p>
    </>
  )
}

const BOM_CHOICES: Record<string, boolean | undefined> = { true: true, false: false }

type KeepPlan = JobBreakdown['keep_plans'][number]

function usePlan(job: BulkJob, preset: string): KeepPlan | undefined {
  const { data } = useQuery({ ...breakdownQuery(useScene(), job), enabled: job.finished_at !== null })
  return data?.keep_plans.find((plan) => plan.preset === preset)
}

type Choice = { value: Kind; label: string; hint: string; button: string }

function choicesOf(job: BulkJob, { word, plan }: { word: string; plan: KeepPlan | undefined }): Choice[] {
  const isUnderWay = job.finished_at === null
  const sheet: Choice = {
    value: 'sheet',
    label: 'Original file with result columns',
    hint: isUnderWay
      ? 'Original rows and order. Rows without a result have empty columns.'
      : 'Original rows and order, with result columns appended.',
    button: 'Download all rows',
  }
  const lines: Choice = {
    value: 'lines',
    label: 'JSON Lines',
    hint: 'One result per line.',
    button: 'Download JSON Lines',
  }
  if (isUnderWay) return [sheet, lines]
  const numberOf = (count: number | undefined) => (count === undefined ? '' : `${formatNumber(count)} `)
  const [keep, remove] = [numberOf(plan?.keep_count), numberOf(plan?.remove_count)]
  const leftOut = countLeftOut(job)
  return [
    sheet,
    {
      value: 'keep',
      label: `Addresses to keep${keep && ` (${keep.trim()})`}`,
      hint: `Kept by the “${word}” preset.`,
      button: `Download ${keep}to keep`,
    },
    {
      value: 'remove',
      label: `Addresses to remove${remove && ` (${remove.trim()})`}`,
      hint: `Removed by the “${word}” preset.`,
      button: `Download ${remove}to remove`,
    },
    ...(leftOut > 0 ? [leftOutChoice(leftOut)] : []),
    lines,
  ]
}

function leftOutChoice(count: number): Choice {
  return {
    value: 'left_out',
    label: `Not validated (${formatNumber(count)})`,
    hint: 'Rows without an address and malformed values, with row numbers and reasons.',
    button: `Download ${formatNumber(count)} not validated`,
  }
}

function wantedOf(kind: Kind, { preset, unique, ownColumns, ...form }: SheetForm & { preset: string }): Wanted {
  if (kind === 'lines') return { format: 'ndjson' }
  if (kind === 'left_out') return { ...sheetOf(form), part: kind }
  const sheet: Wanted = { ...sheetOf(form), unique, ownColumns }
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
