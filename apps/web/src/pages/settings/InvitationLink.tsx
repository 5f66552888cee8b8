import { useWelcome } from '../../session/session.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { TextInput } from '../../ui/Field.tsx'

/** Only whoever has the invited address can use it. */
export function InvitationLink({ id }: { id: string }) {
  const link = useInvitationLink(id)
  return (
    <div className="flex items-center gap-2">
      <TextInput
        readOnly
        value={link}
        aria-label="Link of the invitation"
        className="min-w-0 flex-1 font-mono text-[0.8125rem]"
        onFocus={(event) => event.target.select()}
      />
      <CopyButton text={link} label="Copy the link" word="Copy" />
    </div>
  )
}

export function useInvitationLink(id: string): string {
  const base = useWelcome()?.public_url ?? window.location.origin
  return `${base.replace(/\/$/, '')}/app/accept-invitation#id=${id}`
}
