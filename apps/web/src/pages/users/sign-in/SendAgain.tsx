import { useMutation } from '@tanstack/react-query'
import { plainWords } from '../../../labels/error-messages.ts'
import { ask } from '../../../session/ask.ts'
import { asRequestFailed } from '../../../session/probity.ts'
import { useWelcome } from '../../../session/session.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'

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
export function SendLinkAgain({ email }: { email: string }) {
  const send = useMutation({
    mutationFn: () => ask('/auth/send-verification-email', { method: 'POST', body: { email } }),
  })
  const hasMail = useWelcome()?.mail ?? true
  return (
    <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1">
      <Button size="sm" busy={send.isPending} onClick={() => send.mutate()}>
        {hasMail ? 'Resend link' : 'Create new link'}
      </Button>
      <p role="status" className="text-soft">
        {send.isSuccess && (hasMail ? 'A new link was sent.' : 'A new link was written to the log.')}
        {send.isError && plainWords(asRequestFailed(send.error))}
      </p>
    </div>
  )
}

/** Explains where to find the links of emails when no SMTP relay is set. */
export function NoMailHere() {
  const welcome = useWelcome()
  if (welcome === undefined || welcome.mail) return null
  return (
    <Callout title="Email is not configured">
      The link is in the service log. Ask an operator of this installation for it.
    </Callout>
  )
}
