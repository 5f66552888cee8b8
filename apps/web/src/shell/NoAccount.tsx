import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { NewAccount } from '../pages/accounts/new-account/NewAccount.tsx'
import { InvitationChoice } from '../pages/users/invitation/InvitationChoice.tsx'
import { DeleteProfileDialog } from '../pages/users/profile/DeleteProfileDialog.tsx'
import { callApi } from '../session/client.ts'
import { sessionQuery, signOut, useSession } from '../session/session.ts'
import { OpenPage } from './OpenPage.tsx'

export type OwnInvitation = { id: string; role: string; organizationName: string; expiresAt: string }

/** For users without an account: new users, and users who left or were removed from their last account. */
export function NoAccount() {
  const queryClient = useQueryClient()
  const { person } = useSession()
  const [isDeleting, setDeleting] = useState(false)
  const { data = [] } = useQuery({
    queryKey: ['invitations', person.id],
    queryFn: ({ signal }) => callApi<OwnInvitation[]>('/auth/organization/list-user-invitations', { signal }),
  })
  const waiting = data.filter(({ expiresAt }) => new Date(expiresAt).getTime() > Date.now())
  const words = wordsFor({ isInvited: waiting.length > 0, mayCreate: person.may_create_accounts })
  return (
    <OpenPage
      {...words}
      footer={
        <>
          Signed in as {person.email}.{' '}
          <button
            type="button"
            className="text-accent-text underline underline-offset-2"
            onClick={() => void signOut(queryClient)}
          >
            Sign out
          </button>{' '}
          or{' '}
          <button
            type="button"
            className="text-accent-text underline underline-offset-2"
            onClick={() => setDeleting(true)}
          >
            delete your profile
          </button>
          .
        </>
      }
    >
      {isDeleting && <DeleteProfileDialog onClose={() => setDeleting(false)} />}
      <div className="flex flex-col gap-6">
        {waiting.map((invitation) => (
          <WaitingInvitation key={invitation.id} invitation={invitation} />
        ))}
        {person.may_create_accounts && <NewAccount isFirstChoice={waiting.length === 0} />}
      </div>
    </OpenPage>
  )
}

function wordsFor({ isInvited, mayCreate }: { isInvited: boolean; mayCreate: boolean }) {
  if (isInvited) {
    const own = mayCreate ? 'You have an invitation. You can also create your own account.' : 'You have an invitation.'
    return { title: 'Join an account', about: `An account contains lists, API keys and credits. ${own}` }
  }
  if (!mayCreate) return { title: 'No account yet', about: ASK_AN_OPERATOR }
  const about = 'An account contains your lists, API keys and credits. You can also ask a colleague for an invitation.'
  return { title: 'Create an account', about }
}

const ASK_AN_OPERATOR =
  'Only operators can create accounts on this installation. Ask a colleague or an operator for an invitation.'

function WaitingInvitation({ invitation: { id, role, organizationName } }: { invitation: OwnInvitation }) {
  const queryClient = useQueryClient()
  return (
    <section className="flex flex-col gap-3 rounded-md bg-sunken px-4 py-4">
      <div>
        <h2 className="font-semibold [overflow-wrap:anywhere]">{organizationName}</h2>
        <p className="text-soft">You are invited as {role}.</p>
      </div>
      <InvitationChoice
        link={{ id, token: undefined }}
        onAccepted={() => queryClient.invalidateQueries(sessionQuery)}
        onDeclined={() => queryClient.invalidateQueries({ queryKey: ['invitations'] })}
      />
    </section>
  )
}
