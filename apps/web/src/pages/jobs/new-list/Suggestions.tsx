import type { UploadPreview } from '@probity/sdk'
import { keepPreviousData, queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { SpellCheck } from 'lucide-react'
import { useState } from 'react'
import { asRequestFailed } from '../../../session/client.ts'
import { type Scene, useScene } from '../../../session/workspace.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import { PageFrame } from '../../../ui/States.tsx'
import { Pager } from '../../../ui/Table.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import { uploadsKey } from '../lists/lists-query.ts'
import { cellsOfPreview, useReplacedUpload } from './use-upload.ts'
import { Change, Fact } from './ValueParts.tsx'

const PAGE_SIZE = 5

function suggestionsQuery(scene: Scene, preview: UploadPreview, skip: number) {
  const { upload_id: id, email_column: emailColumn } = preview
  const cells = cellsOfPreview(preview)
  return queryOptions({
    queryKey: [...uploadsKey(scene), id, emailColumn, 'suggestions', cells, skip],
    queryFn: async ({ signal }) => {
      const call = scene.probity.uploads.suggestions(id, { emailColumn, ...cells, skip, limit: PAGE_SIZE, signal })
      const { data, total } = await call
      return { suggestions: data, total: total ?? data.length }
    },
    placeholderData: keepPreviousData,
  })
}

type SuggestionsProps = { preview: UploadPreview; onAccepted(): void }
/** The accepted suggestion, or all of them. */
type Accepted = { row: number; value: string } | 'all'

/** Domains that look mistyped. Nothing is changed without consent: all suggestions are accepted at once, or one by one. */
export function Suggestions({ preview, onAccepted }: SuggestionsProps) {
  const { upload_id: id, email_column: emailColumn, suggestion_count: count } = preview
  const { probity } = useScene()
  const toasts = useToasts()
  const showReplaced = useReplacedUpload()
  const accept = useMutation({
    mutationFn: (accepted: Accepted) => {
      const options = { emailColumn, ...cellsOfPreview(preview), acceptSuggestions: accepted === 'all' }
      return probity.uploads.correct(id, accepted === 'all' ? [] : [accepted], options)
    },
    onSuccess: async (next, accepted) => {
      toasts.done(`${formatCount(accepted === 'all' ? count : 1, 'domain')} corrected.`)
      await showReplaced(next, emailColumn)
      onAccepted()
    },
  })
  return (
    <Fact
      icon={<SpellCheck aria-hidden="true" />}
      action={
        <Button
          size="sm"
          busy={accept.isPending && accept.variables === 'all'}
          onClick={() => !accept.isPending && accept.mutate('all')}
        >
          {count === 1 ? 'Accept the suggestion' : `Accept all ${formatNumber(count)}`}
        </Button>
      }
      details={
        <>
          <SuggestionList preview={preview} accept={accept} />
          {accept.error && (
            <Callout kind="error" live title="The suggestion could not be accepted">
              {asRequestFailed(accept.error).message}
            </Callout>
          )}
        </>
      }
    >
      {formatCount(count, 'domain looks', 'domains look')} mistyped. Suggestions that you do not accept change nothing.
    </Fact>
  )
}

type ListProps = {
  preview: UploadPreview
  accept: { isPending: boolean; variables: Accepted | undefined; mutate(accepted: Accepted): void }
}

function SuggestionList({ preview, accept }: ListProps) {
  const [skip, setSkip] = useState(0)
  const query = useQuery(suggestionsQuery(useScene(), preview, skip))
  const isBusy = (row: number) => accept.isPending && accept.variables !== 'all' && accept.variables?.row === row
  return (
    <PageFrame query={query} failed="The suggestions could not be loaded" loading="Loading the suggestions" lines={3}>
      {({ suggestions, total }) => (
        <div>
          <ul aria-label="Suggestions" className="flex flex-col gap-1 max-sm:gap-2.5">
            {suggestions.map(({ row, value, suggestion }) => (
              <li key={row} className="flex items-center justify-between gap-3">
                <Change row={row} from={value} to={suggestion} />
                <Button
                  size="sm"
                  look="quiet"
                  busy={isBusy(row)}
                  aria-label={`Accept ${suggestion}`}
                  onClick={() => !accept.isPending && accept.mutate({ row, value: suggestion })}
                >
                  Accept
                </Button>
              </li>
            ))}
          </ul>
          <Pager skip={skip} limit={PAGE_SIZE} total={total} noun="suggestions" onTurn={setSkip} />
        </div>
      )}
    </PageFrame>
  )
}
