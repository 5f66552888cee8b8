import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { asRequestFailed, callApi } from '../../../session/client.ts'
import { refreshSession, signUp, useSecretInAddress, useWelcome, welcomeQuery } from '../../../session/session.ts'
import { OpenPage } from '../../../shell/OpenPage.tsx'
import { buttonClass } from '../../../ui/Button.tsx'
import { PageFrame } from '../../../ui/States.tsx'
import { BrokenLink, CheckYourEmail } from './CheckYourEmail.tsx'
import { type NewUser, NewUserForm } from './NewUserForm.tsx'

export function SignUpPage() {
  const [sentTo, setSentTo] = useState<string>()
  const welcome = useQuery(welcomeQuery)
  if (sentTo !== undefined) return <CheckYourEmail email={sentTo} />
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
      <PageFrame query={welcome} failed="The sign-up form could not be loaded" lines={4}>
        {() => <SignUpForm onSent={setSentTo} />}
      </PageFrame>
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

type SignUpProps = {
  invitation?: { id: string; email: string }
  onSent(email: string): void
}

export function SignUpForm({ invitation, onSent }: SignUpProps) {
  return (
    <NewUserForm
      action="Sign up"
      invited={invitation?.email}
      onSubmit={async (user) => {
        await signUp(user, invitation?.id)
        onSent(user.email)
      }}
    />
  )
}

/** Creates the first operator of an installation. The setup link is printed at the first start. */
export function SetupPage() {
  const token = useSecretInAddress('token')
  const welcome = useWelcome()
  const [isUsed, setUsed] = useState(false)
  if (isUsed || welcome?.setup_needed === false) return <Used />
  if (token === undefined) return <BrokenLink about={HOW_TO_GET_ONE} />
  return (
    <OpenPage
      title="Set up Probity"
      about="You become the operator of this installation and the owner of its first account. You can change names later."
    >
      <SetupForm token={token} onUsed={() => setUsed(true)} />
    </OpenPage>
  )
}

const HOW_TO_GET_ONE = (
  <>
    Open the setup link exactly as printed when the service was started.{' '}
    <code className="font-mono whitespace-nowrap">probity-admin setup-link</code> prints a new one.
  </>
)

function SetupForm({ token, onUsed }: { token: string; onUsed(): void }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  async function setUp(user: NewUser) {
    try {
      await callApi('/setup', { method: 'POST', body: { token, ...user } })
    } catch (error) {
      if (asRequestFailed(error).status !== 404) throw error
      onUsed()
      return
    }
    await refreshSession(queryClient)
    await navigate({ to: '/quick-start', replace: true })
    await queryClient.invalidateQueries(welcomeQuery) // not before: this page would say that the link was used
  }
  return <NewUserForm action="Set up Probity" withAccount onSubmit={setUp} />
}

function Used() {
  return (
    <OpenPage
      title="Setup link already used"
      about="This installation already has an operator. If you are not the operator, ask for an invitation."
    >
      <Link to="/sign-in" className={buttonClass('primary', 'lg', 'w-full')}>
        Go to sign-in
      </Link>
    </OpenPage>
  )
}
