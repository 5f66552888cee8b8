import { useMay } from '../../../session/workspace.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { formatNumber } from '../../../ui/format.ts'
import { useAddressDraft } from '../../jobs/new-list/use-address-draft.ts'

type SeveralPastedProps = { emails: string[]; onUseFirst(email: string): void; onClose(): void }

/** Offers to create a list of pasted addresses, because this page validates one. */
export function SeveralPasted({ emails, onUseFirst, onClose }: SeveralPastedProps) {
  const mayCreate = useMay('jobs:write')
  const draft = useAddressDraft()
  const [first = ''] = emails
  return (
    <Callout
      live
      title={`${formatNumber(emails.length)} addresses pasted`}
      actions={
        <>
          {mayCreate && (
            <Button size="sm" look="primary" busy={draft.isPending} onClick={() => draft.mutate({ emails })}>
              Create a list of {formatNumber(emails.length)}
            </Button>
          )}
          <Button size="sm" onClick={() => onUseFirst(first)}>
            Use the first only
          </Button>
          <Button size="sm" look="quiet" onClick={onClose}>
            Cancel
          </Button>
        </>
      }
    >
      This page validates one address. A list shows its cost before anything is charged.
    </Callout>
  )
}
