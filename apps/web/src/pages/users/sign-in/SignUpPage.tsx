import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { welcomeQuery } from '../../../session/session.ts'
import { OpenPage } from '../../../shell/OpenPage.tsx'
import { buttonClass } from '../../../ui/Button.tsx'
import { ErrorState, Skeleton } from '../../../ui/States.tsx'
import { LookAtMail } from './LookAtMail.tsx'
import { SignUpForm } from './SignUpForm.tsx'

export function SignUpPage() {
  const [sentTo, setSentTo] = useState<string>()
  const welcome = useQuery(welcomeQuery)
  if (sentTo !== undefined) return <LookAtMail email={sentTo} />
  if (welcome.data?.sign_up === 'invitation') return <Closed />
  return (
    <OpenPage
      title="Sign up"
      about="Validate single addresses and lists, or use the API."
      footer={
        <>
          Already signed up?{' '}
          <Link to="/sign-in" className="text-accent-text underline underline-offset-2">
            Sign in
          </Link>
        </>
      }
    >
      {welcome.isPending && <Skeleton lines={4} />}
      {welcome.isError && (
        <ErrorState
          what="The sign-up form could not be loaded"
          error={welcome.error}
          onRetry={() => void welcome.refetch()}
        />
      )}
      {welcome.isSuccess && <SignUpForm onSent={setSentTo} />}
    </OpenPage>
  )
}

function Closed() {
  return (
    <OpenPage
      title="Sign-up is by invitation only"
      about="Ask an owner or admin of an account in this installation to invite you. Then open the invitation link."
    >
      <Link to="/sign-in" className={buttonClass('primary', 'lg', 'w-full')}>
        Go to sign-in
      </Link>
    </OpenPage>
  )
}
