import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ask } from '../../api/ask.ts'
import { plainWords } from '../../api/plain-words.ts'
import { asRequestFailed } from '../../api/probity.ts'
import { useSecretInAddress } from '../../session/secret-in-address.ts'
import { OpenPage } from '../../shell/OpenPage.tsx'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { Callout } from '../../ui/Callout.tsx'
import { BrokenLink } from './BrokenLink.tsx'

/** Pressed and not done by itself: mail readers open links too, and would confirm what nobody has asked for. */
export function VerifyEmailPage() {
  const token = useSecretInAddress('token')
  const verify = useMutation({ mutationFn: () => ask('/verify-email', { method: 'POST', body: { token } }) })
  if (verify.isSuccess) return <Confirmed />
  if (token === undefined) return <BrokenLink />
  return (
    <OpenPage title="Confirm your email address" about="Did you create an account with this address?">
      <div className="flex flex-col gap-4">
        {verify.isError && (
          <Callout kind="error" live title={plainWords(asRequestFailed(verify.error))}>
            Sign in with your password: there you can ask for a new link.
          </Callout>
        )}
        {verify.isError ? (
          <Link to="/sign-in" className={buttonClass('primary', 'lg')}>
            To the sign-in
          </Link>
        ) : (
          <Button look="primary" size="lg" busy={verify.isPending} onClick={() => verify.mutate()}>
            Confirm the address
          </Button>
        )}
      </div>
    </OpenPage>
  )
}

function Confirmed() {
  return (
    <OpenPage title="The address is confirmed" about="You can sign in now.">
      <Link to="/sign-in" className={buttonClass('primary', 'lg', 'w-full')}>
        Sign in
      </Link>
    </OpenPage>
  )
}
