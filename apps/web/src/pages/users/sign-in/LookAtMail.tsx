import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWelcome } from '../../../session/session.ts'
import { OpenPage } from '../../../shell/OpenPage.tsx'
import { NoMailHere, SendLinkAgain } from './SendAgain.tsx'

/** Shown after sign-up. The text is the same for new and existing addresses, so that it does not reveal users. */
export function LookAtMail({ email, children }: { email: string; children?: ReactNode }) {
  const hasMail = useWelcome()?.mail ?? true
  const address = <strong className="font-medium break-all text-ink">{email}</strong>
  return (
    <OpenPage
      title={hasMail ? 'Check your email' : 'Confirm your address'}
      about={
        hasMail ? (
          <>A link was sent to {address}. Open it within an hour to confirm the address.</>
        ) : (
          <>A link to confirm {address} was created. Open it within an hour.</>
        )
      }
      footer={
        <Link to="/sign-in" className="text-accent-text underline underline-offset-2">
          Go to sign-in
        </Link>
      }
    >
      <div className="flex flex-col gap-4">
        <NoMailHere />
        {children}
        <div className="text-soft">
          {hasMail && <p>Did not get the email? Check your spam folder.</p>}
          <SendLinkAgain email={email} />
        </div>
      </div>
    </OpenPage>
  )
}
