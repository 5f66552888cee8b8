import { useNavigate } from '@tanstack/react-router'
import { Button } from '../../../ui/Button.tsx'
import { DiscardDialog, useDiscard } from '../lists/DiscardDialog.tsx'

export function DiscardButton({ upload, filename }: { upload: string; filename: string }) {
  const navigate = useNavigate()
  const discard = useDiscard({ onGone: () => void navigate({ to: '/lists', replace: true }) })
  return (
    <>
      <Button look="quiet" onClick={() => discard.askFor({ upload_id: upload, filename })}>
        Discard
      </Button>
      <DiscardDialog {...discard} />
    </>
  )
}
