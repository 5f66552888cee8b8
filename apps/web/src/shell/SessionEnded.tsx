import { SignInForm } from '../pages/people/SignInForm.tsx'
import { useSession } from '../session/session.ts'
import { Dialog } from '../ui/Dialog.tsx'

/** The page behind stays, with all that was typed. The same person goes on where they were. */
export function SessionEnded({ open }: { open: boolean }) {
  const { person } = useSession()
  return (
    <Dialog
      open={open}
      onClose={() => undefined}
      mayClose={() => false}
      title="Your session has ended"
      about="Sign in again to go on. What you typed on this page is kept."
    >
      <SignInForm email={person.email} onSignedIn={() => undefined} />
    </Dialog>
  )
}
