import type { UploadPreview } from '@probity/sdk'
import { FileText } from 'lucide-react'
import { formatBytes, formatCount, formatDateTime } from '../../../ui/format.ts'

const DELIMITERS: Record<string, string> = {
  ',': 'comma-separated',
  ';': 'semicolon-separated',
  '\t': 'tab-separated',
  '|': 'pipe-separated',
}

/** The detected format of the file, and when the draft expires. */
export function FileFacts({ preview }: { preview: UploadPreview }) {
  const facts = [
    formatBytes(preview.size_bytes),
    formatCount(preview.row_count, 'row'),
    formatCount(preview.columns.length, 'column'),
    ...(preview.columns.length > 1 ? [DELIMITERS[preview.delimiter] ?? `separated by ${preview.delimiter}`] : []),
    preview.encoding.toUpperCase(),
    preview.has_header ? 'header row' : 'no header row, columns are numbered',
  ]
  return (
    <div className="flex items-start gap-3">
      <FileText className="mt-0.5 size-4.5 shrink-0 text-faint" aria-hidden="true" />
      <div className="min-w-0">
        <p className="font-medium [overflow-wrap:anywhere]">{preview.filename}</p>
        <p className="text-soft">{facts.join(' · ')}</p>
        <p className="text-[0.8125rem] text-faint">
          The draft expires {formatDateTime(preview.expires_at)}. The file is then deleted.
        </p>
      </div>
    </div>
  )
}
