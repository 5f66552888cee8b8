import { useMutation } from '@tanstack/react-query'
import { ask } from '../../api/ask.ts'
import { plainWords } from '../../api/plain-words.ts'
import { asRequestFailed } from '../../api/probity.ts'
import { useWelcome } from '../../session/session.ts'
import { Button } from '../../ui/Button.tsx'
import { Callout } from '../../ui/Callout.tsx'

/** For somebody who signs in before the address is confirmed. */
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

/** Asks for the link once more, and says what came of it. */
export function SendLinkAgain({ email }: { email: string }) {
  const send = useMutation({
    mutationFn: () => ask('/auth/send-verification-email', { method: 'POST', body: { email } }),
  })
  const hasMail = useWelcome()?.mail ?? true
  return (
    <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1">
      <Button size="sm" busy={send.isPending} onClick={() => send.mutate()}>
        {hasMail ? 'Send the link again' : 'Make a new link'}
      </Button>
      <p role="status" className="text-soft">
        {send.isSuccess && (hasMail ? 'A new link is on its way.' : 'A new link is in the log.')}
        {send.isError && plainWords(asRequestFailed(send.error))}
      </p>
    </div>
  )
}

/** Where letters are not sent, somebody has to know where the links go. */
export function NoMailHere() {
  const welcome = useWelcome()
  if (welcome === undefined || welcome.mail) return null
  return (
    <Callout title="This installation sends no mail">
      The link is in the service’s log. Ask whoever runs the installation for it.
    </Callout>
  )
}
