import type { Invitation } from '@probity/contract/schemas/users'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { asRequestFailed, callApi } from '../../../session/client.ts'
import { refreshSession, type Session, sessionQuery, signOut, useSecretInAddress } from '../../../session/session.ts'
import { OpenPage } from '../../../shell/OpenPage.tsx'
import { Button, buttonClass } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { formatDateTime } from '../../../ui/format.ts'
import { ErrorState, Skeleton } from '../../../ui/States.tsx'
import { BrokenLink, CheckYourEmail } from '../sign-in/CheckYourEmail.tsx'
import { NewUserForm } from '../sign-in/NewUserForm.tsx'
import { SignInForm } from '../sign-in/SignInPage.tsx'
import { SignUpForm } from '../sign-in/SignUpPage.tsx'
import { InvitationChoice, type InvitationSecret } from './InvitationChoice.tsx'

export function AcceptInvitationPage() {
  const secret = useSecretInAddress('id')
  if (secret === undefined) return <BrokenLink />
  const [id = '', token] = secret.split('.')
  return <InvitationPage key={id} link={{ id, token }} />
}

function InvitationPage({ link }: { link: InvitationSecret }) {
  const { id } = link
  const invitation = useQuery(invitationQuery(id))
  const session = useQuery(sessionQuery)
  const failed = invitation.error ?? session.error
  if (invitation.isSuccess && session.isSuccess) {
    return <AcceptInvitation link={link} invitation={invitation.data} session={session.data} />
  }
  if (invitation.isError && isGone(invitation.error)) return <Gone />
  const retry = () => void Promise.all([invitation.refetch(), session.refetch()])
  return (
    <OpenPage title="Invitation">
      {failed ? (
        <ErrorState what="The invitation could not be loaded" error={failed} onRetry={retry} />
      ) : (
        <Skeleton lines={4} label="Loading invitation" />
      )}
    </OpenPage>
  )
}

function Gone() {
  return (
    <OpenPage
      title="Invitation no longer valid"
      about="The invitation was used or revoked, or it has expired. Ask the member who invited you for a new invitation."
    >
      <Link to="/" className={buttonClass('primary', 'lg', 'w-full')}>
        Go to start page
      </Link>
    </OpenPage>
  )
}

/** A malformed id is rejected with 400. */
function isGone(error: unknown): boolean {
  return [400, 404].includes(asRequestFailed(error).status)
}

type AcceptProps = { link: InvitationSecret; invitation: Invitation; session: Session | null }

/** The invitation and the way to accept it, which depends on the signed-in user. */
function AcceptInvitation({ link, invitation, session }: AcceptProps) {
  const [sentTo, setSentTo] = useState<string>()
  if (sentTo !== undefined) {
    return (
      <CheckYourEmail email={sentTo}>
        <p>Then sign in to accept the invitation to {invitation.organisation}.</p>
      </CheckYourEmail>
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
    return <WrongUser email={session.person.email} />
  }
  if (session !== null) return <InvitationChoice link={link} onAccepted={join.enter} />
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
        <InvitedSignUpForm id={id} token={token} email={email} onJoined={join.enter} />
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

function WrongUser({ email }: { email: string }) {
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
    await callApi('/auth/organization/accept-invitation', { method: 'POST', body: { invitationId: id, token } })
    await enter()
  }
  return { accept, enter }
}

type JoinProps = { id: string; token: string; email: string; onJoined(): unknown }

/** Creates the invited user and signs in, where the invitation link verifies the address. */
function InvitedSignUpForm({ id, token, email, onJoined }: JoinProps) {
  return (
    <NewUserForm
      action="Accept invitation"
      invited={email}
      onSubmit={async ({ name, password }) => {
        await callApi(`/invitations/${encodeURIComponent(id)}/join`, {
          method: 'POST',
          body: { token, name, password },
        })
        await onJoined()
      }}
    >
      <p className="text-soft">Enter your name and choose a password to accept the invitation.</p>
    </NewUserForm>
  )
}

function invitationQuery(id: string) {
  return queryOptions({
    queryKey: ['invitation', id],
    queryFn: ({ signal }) => callApi<Invitation>(`/invitations/${encodeURIComponent(id)}`, { signal }),
    // Fetched once: the outcome of accepting or declining comes with the response to that request.
    staleTime: Number.POSITIVE_INFINITY,
  })
}
