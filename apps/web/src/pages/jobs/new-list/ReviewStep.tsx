import type { UploadPreview } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useScene } from '../../../session/scene.ts'
import { ProbingNotice } from '../../../shell/ProbingNotice.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Skeleton } from '../../../ui/States.tsx'
import { uploadQuery } from '../lists/uploads.ts'
import { CellNotes } from './CellNotes.tsx'
import { Confirm } from './Confirm.tsx'
import { CostTable } from './CostTable.tsx'
import { DraftMissing } from './DraftMissing.tsx'
import { FileFacts } from './FileFacts.tsx'
import { ProviderMix } from './ProviderMix.tsx'
import { isTooShort, TooFewCredits } from './TooFewCredits.tsx'
import { WhatNext } from './WhatNext.tsx'

/** The price and the next steps, before the list is confirmed. */
export function ReviewStep({ upload, column }: { upload: string; column: string }) {
  const { data, error, refetch } = useQuery(uploadQuery(useScene(), upload, column))
  if (data) return <Review preview={data} column={column} onRefresh={() => void refetch()} />
  if (error) return <DraftMissing error={error} onRetry={() => void refetch()} />
  return (
    <Card>
      <Skeleton lines={8} label="Counting the addresses" />
    </Card>
  )
}

type ReviewProps = { preview: UploadPreview; column: string; onRefresh(): void }

function Review({ preview, column, onRefresh }: ReviewProps) {
  // On phones the price, the next steps and the confirm button come first.
  return (
    <div className="grid items-start gap-5 max-sm:pb-20 lg:grid-cols-[minmax(0,1fr)_21rem] lg:grid-rows-[auto_1fr] max-sm:[&_:is(a,button,section)]:scroll-mb-36">
      <div className="flex min-w-0 flex-col gap-5">
        <ProbingNotice probing={preview.probing} />
        {isTooShort(preview) && <TooFewCredits preview={preview} onRefresh={onRefresh} />}
        <FileFacts preview={preview} />
        <Card title="Summary" about={<ChosenColumn column={column} />}>
          <CostTable preview={preview} column={column} />
          <CellNotes preview={preview} />
        </Card>
      </div>
      <div className="flex min-w-0 flex-col gap-5 lg:sticky lg:top-20 lg:col-start-2 lg:row-span-2 lg:row-start-1">
        <Card title="Next steps">
          <WhatNext />
        </Card>
        <Confirm preview={preview} column={column} onRefresh={onRefresh} />
      </div>
      <Card title="Mailbox providers" about="Based on well-known domains. Other domains are looked up in DNS.">
        <ProviderMix preview={preview} />
      </Card>
    </div>
  )
}

function ChosenColumn({ column }: { column: string }) {
  return (
    <>
      Column <strong className="font-medium text-ink [overflow-wrap:anywhere]">{column}</strong>.{' '}
      <Link
        to="/lists/new"
        search={(now) => ({ ...now, step: 'column' as const })}
        className="text-accent-text underline underline-offset-4"
      >
        Change
      </Link>
    </>
  )
}
