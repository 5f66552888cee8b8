import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { welcomeQuery } from '../../session/session.ts'
import { OpenPage } from '../../shell/OpenPage.tsx'
import { buttonClass } from '../../ui/Button.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import { LookAtMail } from './LookAtMail.tsx'
import { SignUpForm } from './SignUpForm.tsx'

export function SignUpPage() {
  const [sentTo, setSentTo] = useState<string>()
  const welcome = useQuery(welcomeQuery)
  if (sentTo !== undefined) return <LookAtMail email={sentTo} />
  if (welcome.data?.sign_up === 'invitation') return <Closed />
  return (
    <OpenPage
      title="Create an account"
      about="Validate single addresses, whole lists, or from your own programs."
      footer={
        <>
          You have one already?{' '}
          <Link to="/sign-in" className="text-accent-text underline underline-offset-2">
            Sign in
          </Link>
        </>
      }
    >
      {welcome.isPending && <Skeleton lines={4} />}
      {welcome.isError && <ErrorState error={welcome.error} onRetry={() => void welcome.refetch()} />}
      {welcome.isSuccess && <SignUpForm onSent={setSentTo} />}
    </OpenPage>
  )
}

function Closed() {
  return (
    <OpenPage
      title="New people are invited here"
      about="Ask somebody who has an organisation in this installation to invite you. Then open the link in the invitation."
    >
      <Link to="/sign-in" className={buttonClass('primary', 'lg', 'w-full')}>
        To the sign-in
      </Link>
    </OpenPage>
  )
}
