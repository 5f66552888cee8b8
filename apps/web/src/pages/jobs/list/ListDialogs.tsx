import type { RerunRows } from '@probity/contract/constants/jobs'
import type { BulkJob } from '@probity/sdk'
import { CompareDialog } from './CompareDialog.tsx'
import { EditListDialog } from './EditListDialog.tsx'
import { RerunDialog } from './RerunDialog.tsx'
import { ShareDialog } from './ShareDialog.tsx'

/** The open dialog of a list. At most one is open. */
export type OpenedDialog = { kind: 'edit' | 'compare' | 'share' } | { kind: 'rerun'; rows: RerunRows }

type DialogsProps = { job: BulkJob; opened: OpenedDialog | undefined; onClose(): void }

export function ListDialogs({ job, opened, onClose }: DialogsProps) {
  if (opened === undefined) return null
  switch (opened.kind) {
    case 'edit':
      return <EditListDialog job={job} onClose={onClose} />
    case 'compare':
      return <CompareDialog job={job} onClose={onClose} />
    case 'share':
      return <ShareDialog job={job} onClose={onClose} />
    case 'rerun':
      return <RerunDialog job={job} rows={opened.rows} onClose={onClose} />
  }
}
