import { SignInForm } from '../pages/users/sign-in/SignInPage.tsx'
import { useSession } from '../session/session.ts'
import { Dialog } from '../ui/Dialog.tsx'

/** Keeps the page with unsaved input behind the dialog, so that the user continues after signing in. */
export function SessionEnded({ open }: { open: boolean }) {
  const { person } = useSession()
  return (
    <Dialog
      open={open}
      onClose={() => undefined}
      mayClose={() => false}
      title="Your session has ended"
      about="Sign in again to continue. Your input on this page is kept."
    >
      <SignInForm email={person.email} onSignedIn={() => undefined} />
    </Dialog>
  )
}
