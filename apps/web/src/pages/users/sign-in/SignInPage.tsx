import { Link, useRouter, useSearch } from '@tanstack/react-router'
import { useWelcome } from '../../../session/session.ts'
import { OpenPage } from '../../../shell/OpenPage.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { readNextPlace } from './next-place.ts'
import { SignInForm } from './SignInForm.tsx'

export function SignInPage() {
  const { next } = useSearch({ from: '/sign-in' })
  const router = useRouter()
  const welcome = useWelcome()
  return (
    <OpenPage
      title="Sign in"
      footer={
        welcome?.sign_up === 'open' ? (
          <>
            New here?{' '}
            <Link to="/sign-up" className="text-accent-text underline underline-offset-2">
              Sign up
            </Link>
          </>
        ) : (
          'Sign-up is by invitation only.'
        )
      }
    >
      <div className="flex flex-col gap-5">
        {welcome?.setup_needed && <NotSetUp />}
        <SignInForm onSignedIn={() => router.navigate({ href: `/app${readNextPlace(next)}`, replace: true })} />
      </div>
    </OpenPage>
  )
}

function NotSetUp() {
  return (
    <Callout title="Setup required">
      Open the setup link that was printed when the service was started.{' '}
      <code className="font-mono">pnpm admin setup-link</code> prints a new one.
    </Callout>
  )
}
