import type { Listing } from '@probity/sdk'
import { useMutation } from '@tanstack/react-query'
import { Ban, Handshake, Trash2 } from 'lucide-react'
import { asRequestFailed } from '../../api/probity.ts'
import { useScene } from '../../session/scene.ts'
import { Badge } from '../../ui/Badge.tsx'
import { IconButton } from '../../ui/Button.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Table, Td, Th } from '../../ui/Table.tsx'
import { useToasts } from '../../ui/Toasts.tsx'
import { useRefreshListings } from './listings-query.ts'

export function ListingTable({ listings, mayChange }: { listings: Listing[]; mayChange: boolean }) {
  return (
    <Table caption="Allowed and blocked">
      <thead>
        <tr>
          <Th>Entry</Th>
          <Th className="max-sm:hidden">List</Th>
          <Th className="max-sm:hidden">Added</Th>
          {mayChange && (
            <Th align="end">
              <span className="sr-only">Remove</span>
            </Th>
          )}
        </tr>
      </thead>
      <tbody className="[&_tr:last-child>td]:border-b-0">
        {listings.map((listing) => (
          <ListingRow key={listing.id} listing={listing} mayChange={mayChange} />
        ))}
      </tbody>
    </Table>
  )
}

function ListingRow({ listing, mayChange }: { listing: Listing; mayChange: boolean }) {
  const { entry, list, note, added_by: by, added_at: at } = listing
  return (
    <tr>
      <Td className="[overflow-wrap:anywhere]">
        <span className="font-medium">{entry}</span>
        {!entry.includes('@') && <span className="text-faint"> (the whole domain)</span>}
        {note !== '' && <p className="text-[0.8125rem] text-soft">{note}</p>}
        <p className="mt-1 sm:hidden">
          <ListBadge list={list} />
        </p>
      </Td>
      <Td className="max-sm:hidden">
        <ListBadge list={list} />
      </Td>
      <Td className="text-soft max-sm:hidden">
        <RelativeTime at={at} />
        {by !== null && <p className="text-[0.8125rem]">{by}</p>}
      </Td>
      {mayChange && (
        <Td align="end">
          <RemoveButton listing={listing} />
        </Td>
      )}
    </tr>
  )
}

function ListBadge({ list }: Pick<Listing, 'list'>) {
  return list === 'allow' ? (
    <Badge tone="valid" icon={<Handshake aria-hidden="true" />}>
      Allowed
    </Badge>
  ) : (
    <Badge tone="invalid" icon={<Ban aria-hidden="true" />}>
      Blocked
    </Badge>
  )
}

/** Without a question: what was taken off is put back as easily. */
function RemoveButton({ listing: { id, entry } }: { listing: Listing }) {
  const { probity } = useScene()
  const toasts = useToasts()
  const refresh = useRefreshListings()
  const { mutate, isPending } = useMutation({
    mutationFn: () => probity.listings.remove(id),
    onSuccess: async () => {
      toasts.done(`${entry} is off the list.`)
      // The row goes, and the focus with it: it stays in the same part of the page.
      document.querySelector<HTMLElement>('search input[type=search]')?.focus()
      await refresh()
    },
    onError: (error) => toasts.failed(`It could not be removed: ${asRequestFailed(error).message}`),
  })
  return (
    <IconButton label={`Remove ${entry}`} size="sm" disabled={isPending} onClick={() => mutate()}>
      <Trash2 />
    </IconButton>
  )
}
