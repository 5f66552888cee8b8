import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { asRequestFailed } from '../../../session/probity.ts'
import { useSecretInAddress } from '../../../session/secret-in-address.ts'
import { sessionQuery } from '../../../session/session.ts'
import { OpenPage } from '../../../shell/OpenPage.tsx'
import { buttonClass } from '../../../ui/Button.tsx'
import { ErrorState, Skeleton } from '../../../ui/States.tsx'
import { BrokenLink } from '../sign-in/BrokenLink.tsx'
import { AcceptInvitation } from './AcceptInvitation.tsx'
import { type InvitationSecret, invitationQuery } from './invitation-query.ts'

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
