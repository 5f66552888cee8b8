import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { describeError } from '../../../labels/error-messages.ts'
import { asRequestFailed, callApi } from '../../../session/client.ts'
import { useWelcome } from '../../../session/session.ts'
import { OpenPage } from '../../../shell/OpenPage.tsx'
import { Button, buttonClass } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'

/** Shown after sign-up. The text is the same for new and existing addresses, so that it does not reveal users. */
export function CheckYourEmail({ email, children }: { email: string; children?: ReactNode }) {
  const hasMail = useWelcome()?.mail ?? true
  const address = <strong className="font-medium break-all text-ink">{email}</strong>
  return (
    <OpenPage
      title={hasMail ? 'Check your email' : 'Confirm your email address'}
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

/** For users who sign in before the address is confirmed. */
export function SendAgain({ email }: { email: string }) {
  return (
    <Callout kind="warning" live title="Confirm your email address first">
      <p>
        Open the link for <strong className="font-medium">{email}</strong> and then sign in.
      </p>
      <SendLinkAgain email={email} />
    </Callout>
  )
}

/** Requests the link again and shows the outcome. */
function SendLinkAgain({ email }: { email: string }) {
  const send = useMutation({
    mutationFn: () => callApi('/auth/send-verification-email', { method: 'POST', body: { email } }),
  })
  const hasMail = useWelcome()?.mail ?? true
  return (
    <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1">
      <Button size="sm" busy={send.isPending} onClick={() => send.mutate()}>
        {hasMail ? 'Resend link' : 'Create new link'}
      </Button>
      <p role="status" className="text-soft">
        {send.isSuccess && (hasMail ? 'A new link was sent.' : 'A new link was written to the log.')}
        {send.isError && describeError(asRequestFailed(send.error))}
      </p>
    </div>
  )
}

/** Explains where to find the links of emails when no SMTP relay is set. */
function NoMailHere() {
  const welcome = useWelcome()
  if (welcome === undefined || welcome.mail) return null
  return (
    <Callout title="Email is not configured">
      The link is in the service log. Ask an operator of this installation for it.
    </Callout>
  )
}

/** For a truncated link, or a page reloaded after the token was removed from the URL. */
export function BrokenLink({
  about = 'Part of the link is missing. Open the link again exactly as it was sent to you.',
}: {
  about?: ReactNode
}) {
  return (
    <OpenPage title="Incomplete link" about={about}>
      <Link to="/sign-in" className={buttonClass('secondary', 'lg', 'w-full')}>
        Go to sign-in
      </Link>
    </OpenPage>
  )
}
