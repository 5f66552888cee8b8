import { probingReason, WITHOUT_PROBING, WITHOUT_RESOLVER } from '@probity/contract/constants/system'
import type { Account } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { accountQuery, useScene } from '../session/workspace.ts'
import { Callout } from '../ui/Callout.tsx'

type ProbingNoticeProps = { probing: Account['probing'] | null | undefined }

/** Warns that mailboxes cannot be probed or that DNS fails, before the user spends credits. Test mode uses neither. */
export function ProbingNotice({ probing }: ProbingNoticeProps) {
  const { mode } = useScene()
  if (mode !== 'live' || !probing) return null
  return (
    <>
      {!probing.resolver_trusted && (
        <Callout kind="warning" title="DNS lookups are unreliable">
          {WITHOUT_RESOLVER}
        </Callout>
      )}
      {probing.mode === 'dns' && (
        <Callout kind="warning" title="Mailbox probes are unavailable">
          {WITHOUT_PROBING} Reason: {probingReason(probing.reason)}
        </Callout>
      )}
    </>
  )
}

/** The same for pages that have not loaded the probing state. */
export function ProbingNow() {
  const { data } = useQuery(accountQuery(useScene()))
  return <ProbingNotice probing={data?.probing} />
}
