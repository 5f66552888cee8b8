import { WITHOUT_PROBING } from '@probity/contract/probing-words'
import type { Probity, UploadPreview } from '@probity/sdk'
import type { Price } from '../consent.ts'
import { Refusal } from '../refusal.ts'
import type { Run } from '../run.ts'
import type { Upload } from './memory.ts'
import type { Source } from './source.ts'

/** A file that the service has, and what it would cost. Nothing was spent. */
export type Sent = { upload: Upload; price: Price }

export async function sendFile(run: Run, client: Probity, source: Source, column: string | undefined): Promise<Sent> {
  const { blob, filename } = source
  const preview = await client.uploads.create(blob, { filename, signal: run.signal })
  const chosen = column ?? preview.suggested_email_column
  if (!preview.columns.includes(chosen)) throw unknownColumn(chosen, preview)
  sayWhatIsNotAsked(run, preview)
  const price = priceOf(preview, chosen)
  const { rows, unique = null, credits } = price
  return { upload: { kind: 'uploaded', uploadId: preview.upload_id, column: chosen, rows, unique, credits }, price }
}

/** A service of the version before does not say. */
function sayWhatIsNotAsked({ terminal }: Run, { livemode, probing }: Partial<UploadPreview>): void {
  if (livemode && probing?.mode === 'dns') terminal.say(WITHOUT_PROBING)
}

/** The service counts the column it suggests; of another it is known only how many cells are filled. */
function priceOf(preview: UploadPreview, column: string): Price {
  const { credits, unique_count, livemode } = preview
  const balance = { rows: preview.row_count, available: credits.available, unlimited: credits.unlimited }
  if (column === preview.suggested_email_column) return { ...balance, unique: unique_count, credits: credits.quote }
  const filled = preview.column_details.find(({ name }) => name === column)?.filled_count ?? preview.row_count
  return { ...balance, unique: undefined, credits: livemode ? filled : 0, isAtMost: true }
}

function unknownColumn(column: string, { columns }: UploadPreview): Refusal {
  return new Refusal('input', `The file has no column ${column}. It has ${columns.join(', ')}. Nothing was spent.`)
}
