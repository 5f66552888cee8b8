import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWelcome } from '../../session/session.ts'
import { OpenPage } from '../../shell/OpenPage.tsx'
import { NoMailHere, SendLinkAgain } from './SendAgain.tsx'

/** After signing up: the same words whether the address was new or not, since who has an account is nobody's business. */
export function LookAtMail({ email, children }: { email: string; children?: ReactNode }) {
  const hasMail = useWelcome()?.mail ?? true
  const address = <strong className="font-medium break-all text-ink">{email}</strong>
  return (
    <OpenPage
      title={hasMail ? 'Look at your mail' : 'Confirm your address'}
      about={
        hasMail ? (
          <>A link was sent to {address}. Open it within an hour to confirm the address.</>
        ) : (
          <>A link to confirm {address} was made. Open it within an hour.</>
        )
      }
      footer={
        <Link to="/sign-in" className="text-accent-text underline underline-offset-2">
          To the sign-in
        </Link>
      }
    >
      <div className="flex flex-col gap-4">
        <NoMailHere />
        {children}
        <div className="text-soft">
          {hasMail && <p>Nothing there? Look among the spam too.</p>}
          <SendLinkAgain email={email} />
        </div>
      </div>
    </OpenPage>
  )
}
