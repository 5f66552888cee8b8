import type { Invitation } from '@probity/contract/schemas/users'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ask } from '../../../session/ask.ts'
import type { Session } from '../../../session/session.ts'
import { refreshSession, signOut } from '../../../session/sign-in.ts'
import { OpenPage } from '../../../shell/OpenPage.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { formatDateTime } from '../../../ui/format.ts'
import { LookAtMail } from '../sign-in/LookAtMail.tsx'
import { SignInForm } from '../sign-in/SignInForm.tsx'
import { SignUpForm } from '../sign-in/SignUpForm.tsx'
import { InvitationAnswer } from './InvitationAnswer.tsx'
import type { InvitationSecret } from './invitation-query.ts'
import { JoinForm } from './JoinForm.tsx'

type AcceptProps = { link: InvitationSecret; invitation: Invitation; session: Session | null }

/** The invitation and the way to accept it, which depends on the signed-in user. */
export function AcceptInvitation({ link, invitation, session }: AcceptProps) {
  const [sentTo, setSentTo] = useState<string>()
  if (sentTo !== undefined) {
    return (
      <LookAtMail email={sentTo}>
        <p>Then sign in to accept the invitation to {invitation.organisation}.</p>
      </LookAtMail>
    )
  }
  return (
    <OpenPage title={`Join ${invitation.organisation}`}>
      <div className="flex flex-col gap-5">
        <InvitationFacts invitation={invitation} />
        <WhatToDo link={link} invitation={invitation} session={session} onSent={setSentTo} />
      </div>
    </OpenPage>
  )
}

function WhatToDo({ link, invitation, session, onSent }: AcceptProps & { onSent(email: string): void }) {
  const { id, token } = link
  const { email, link_verifies: linkVerifies } = invitation
  const join = useJoin(link)
  const [hasProfile, setHasProfile] = useState(false)
  if (session !== null && session.person.email.toLowerCase() !== email.toLowerCase()) {
    return <SomebodyElse email={session.person.email} />
  }
  if (session !== null) return <InvitationAnswer link={link} onAccepted={join.enter} />
  if (hasProfile) {
    return (
      <>
        <SignInForm email={email} action="Sign in and accept" onSignedIn={join.accept} />
        <Button look="quiet" onClick={() => setHasProfile(false)}>
          I have no profile yet
        </Button>
      </>
    )
  }
  return (
    <>
      {linkVerifies && token ? (
        <JoinForm id={id} token={token} email={email} onJoined={join.enter} />
      ) : (
        <>
          <p className="text-soft">
            Create a profile to accept the invitation. You confirm your address with a link sent by email.
          </p>
          <SignUpForm invitation={{ id, email }} onSent={onSent} />
        </>
      )}
      <Button look="quiet" onClick={() => setHasProfile(true)}>
        I already have a profile
      </Button>
    </>
  )
}

function InvitationFacts({
  invitation: { organisation, role, inviter, email, expires_at },
}: {
  invitation: Invitation
}) {
  const facts = [
    ['Account', organisation],
    [
      'Your role',
      <span key="role" className="capitalize">
        {role}
      </span>,
    ],
    ['Invited by', inviter],
    ['Email address', email],
    ['Expires', formatDateTime(expires_at)],
  ] as const
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-5 gap-y-2 rounded-md bg-sunken px-4 py-3">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-faint">{name}</dt>
          <dd className="[overflow-wrap:anywhere]">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function SomebodyElse({ email }: { email: string }) {
  const queryClient = useQueryClient()
  return (
    <>
      <Callout kind="warning" title={`You are signed in as ${email}`}>
        The invitation is for another address. Sign out, then open the invitation link again.
      </Callout>
      <Button size="lg" onClick={() => void signOut(queryClient)}>
        Sign out
      </Button>
    </>
  )
}

/** Accepts the invitation and opens the web app. */
function useJoin({ id, token }: InvitationSecret) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  async function enter() {
    await refreshSession(queryClient)
    await navigate({ to: '/quick-start', replace: true })
  }
  async function accept() {
    await ask('/auth/organization/accept-invitation', { method: 'POST', body: { invitationId: id, token } })
    await enter()
  }
  return { accept, enter }
}
