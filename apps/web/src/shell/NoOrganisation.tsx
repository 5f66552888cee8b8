import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ask } from '../api/ask.ts'
import { InvitationAnswer } from '../pages/people/InvitationAnswer.tsx'
import { NewOrganisation } from '../pages/people/NewOrganisation.tsx'
import { sessionQuery, useSession } from '../session/session.ts'
import { signOut } from '../session/sign-in.ts'
import { OpenPage } from './OpenPage.tsx'

type Waiting = { id: string; role: string; organizationName: string; expiresAt: string }

/** For people who have just come, who left their last organisation, or who were removed from it. */
export function NoOrganisation() {
  const queryClient = useQueryClient()
  const { person } = useSession()
  const { data = [] } = useQuery({
    queryKey: ['invitations', person.id],
    queryFn: ({ signal }) => ask<Waiting[]>('/auth/organization/list-user-invitations', { signal }),
  })
  const waiting = data.filter(({ expiresAt }) => new Date(expiresAt).getTime() > Date.now())
  const about =
    waiting.length > 0
      ? 'An organisation holds lists, keys and credits. You are invited to one; you can also open one of your own.'
      : 'It holds your lists, keys and credits. You can also ask a colleague to invite you to theirs.'
  return (
    <OpenPage
      title={waiting.length > 0 ? 'Join your organisation' : 'Open an organisation'}
      about={about}
      footer={
        <>
          Signed in as {person.email}.{' '}
          <button
            type="button"
            className="text-accent-text underline underline-offset-2"
            onClick={() => void signOut(queryClient)}
          >
            Sign out
          </button>
        </>
      }
    >
      <div className="flex flex-col gap-6">
        {waiting.map((invitation) => (
          <WaitingInvitation key={invitation.id} invitation={invitation} />
        ))}
        <NewOrganisation isFirstChoice={waiting.length === 0} />
      </div>
    </OpenPage>
  )
}

function WaitingInvitation({ invitation: { id, role, organizationName } }: { invitation: Waiting }) {
  const queryClient = useQueryClient()
  return (
    <section className="flex flex-col gap-3 rounded-md bg-sunken px-4 py-4">
      <div>
        <h2 className="font-semibold [overflow-wrap:anywhere]">{organizationName}</h2>
        <p className="text-soft">You are invited as {role}.</p>
      </div>
      <InvitationAnswer
        link={{ id, token: undefined }}
        onAccepted={() => queryClient.invalidateQueries(sessionQuery)}
        onDeclined={() => queryClient.invalidateQueries({ queryKey: ['invitations'] })}
      />
    </section>
  )
}
