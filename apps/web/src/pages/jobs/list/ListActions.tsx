import type { BulkJob } from '@probity/sdk'
import { Ban, Ellipsis, Pause, Play, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../../../session/may.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { Menu, MenuItem } from '../../../ui/Menu.tsx'
import { DownloadDialog } from './DownloadDialog.tsx'
import { useWishes } from './use-wishes.ts'
import { type Asked, WishDialog } from './WishDialog.tsx'

/** The actions for a list in its current state that the user's role permits. */
export function ListActions({ job }: { job: BulkJob }) {
  const mayChange = useMay('jobs:write')
  const [asked, setAsked] = useState<Asked>()
  const wishes = useWishes(job, () => setAsked(undefined))
  const isUnderWay = job.finished_at === null
  return (
    <>
      {mayChange && (
        <>
          {isUnderWay && job.status !== 'paused' && (
            <Button icon={<Pause className="size-4" aria-hidden="true" />} onClick={() => setAsked('pause')}>
              Pause
            </Button>
          )}
          {job.status === 'paused' && job.delay_reason !== 'under_review' && (
            <Button
              look="primary"
              busy={wishes.isPending && asked === undefined}
              icon={<Play className="size-4" aria-hidden="true" />}
              onClick={() => wishes.mutate('resume')}
            >
              Resume
            </Button>
          )}
        </>
      )}
      {job.done_count > 0 && <DownloadDialog job={job} />}
      {mayChange && <MoreMenu isUnderWay={isUnderWay} onAsk={setAsked} />}
      <WishDialog
        job={job}
        asked={asked}
        busy={wishes.isPending}
        error={asked === undefined ? null : wishes.error}
        onCancel={() => {
          wishes.reset()
          setAsked(undefined)
        }}
        onConfirm={(wish) => wishes.mutate(wish)}
      />
    </>
  )
}

function MoreMenu({ isUnderWay, onAsk }: { isUnderWay: boolean; onAsk(asked: Asked): void }) {
  return (
    <Menu
      label="More actions"
      trigger={
        <IconButton label="More actions" look="secondary">
          <Ellipsis />
        </IconButton>
      }
    >
      {isUnderWay && (
        <MenuItem icon={<Ban aria-hidden="true" />} onSelect={() => onAsk('cancel')}>
          Cancel list
        </MenuItem>
      )}
      <MenuItem danger icon={<Trash2 aria-hidden="true" />} onSelect={() => onAsk('remove')}>
        Delete list
      </MenuItem>
    </Menu>
  )
}
