import { probingReason, WITHOUT_PROBING } from '@probity/contract/probing-words'
import type { Account } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { useScene } from '../session/scene.ts'
import { Callout } from '../ui/Callout.tsx'
import { accountQuery } from './account-query.ts'

type ProbingNoticeProps = { probing: Account['probing'] | null | undefined }

/** Says that mail servers cannot be asked, so that nobody pays for less than they expect. In test mode nobody is asked anyway. */
export function ProbingNotice({ probing }: ProbingNoticeProps) {
  const { mode } = useScene()
  if (mode !== 'live' || probing?.mode !== 'dns') return null
  return (
    <Callout kind="warning" title="No mail server can be asked at present.">
      {WITHOUT_PROBING} For whoever runs the service: {probingReason(probing.reason)}
    </Callout>
  )
}

/** The same for pages that do not know it from elsewhere. */
export function ProbingNow() {
  const { data } = useQuery(accountQuery(useScene()))
  return <ProbingNotice probing={data?.probing} />
}
