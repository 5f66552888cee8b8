import type { Override } from '@probity/sdk'
import { useMutation } from '@tanstack/react-query'
import { Ban, Handshake, Trash2 } from 'lucide-react'
import { asRequestFailed } from '../../../session/probity.ts'
import { useScene } from '../../../session/scene.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { IconButton } from '../../../ui/Button.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { Table, Td, Th } from '../../../ui/Table.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import { useRefreshOverrides } from './overrides-query.ts'

export function OverrideTable({ overrides, mayChange }: { overrides: Override[]; mayChange: boolean }) {
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
        {overrides.map((override) => (
          <OverrideRow key={override.id} override={override} mayChange={mayChange} />
        ))}
      </tbody>
    </Table>
  )
}

function OverrideRow({ override, mayChange }: { override: Override; mayChange: boolean }) {
  const { target, action, note, created_by: by, created_at: at } = override
  return (
    <tr>
      <Td className="[overflow-wrap:anywhere]">
        <span className="font-medium">{target}</span>
        {!target.includes('@') && <span className="text-faint"> (entire domain)</span>}
        {note !== '' && <p className="text-[0.8125rem] text-soft">{note}</p>}
        <p className="mt-1 sm:hidden">
          <ActionBadge action={action} />
        </p>
      </Td>
      <Td className="max-sm:hidden">
        <ActionBadge action={action} />
      </Td>
      <Td className="text-soft max-sm:hidden">
        <RelativeTime at={at} />
        {by !== null && <p className="text-[0.8125rem]">{by}</p>}
      </Td>
      {mayChange && (
        <Td align="end">
          <RemoveButton override={override} />
        </Td>
      )}
    </tr>
  )
}

function ActionBadge({ action }: Pick<Override, 'action'>) {
  return action === 'allow' ? (
    <Badge tone="valid" icon={<Handshake aria-hidden="true" />}>
      Allowed
    </Badge>
  ) : (
    <Badge tone="invalid" icon={<Ban aria-hidden="true" />}>
      Blocked
    </Badge>
  )
}

/** Removes without confirmation: an entry can be added again easily. */
function RemoveButton({ override: { id, target } }: { override: Override }) {
  const { probity } = useScene()
  const toasts = useToasts()
  const refresh = useRefreshOverrides()
  const { mutate, isPending } = useMutation({
    mutationFn: () => probity.overrides.delete(id),
    onSuccess: async () => {
      toasts.done(`${target} removed.`)
      // The row and its focus disappear, so the focus moves to the search field.
      document.querySelector<HTMLElement>('search input[type=search]')?.focus()
      await refresh()
    },
    onError: (error) => toasts.failed(`The entry could not be removed. ${asRequestFailed(error).message}`),
  })
  return (
    <IconButton label={`Remove ${target}`} size="sm" disabled={isPending} onClick={() => mutate()}>
      <Trash2 />
    </IconButton>
  )
}
