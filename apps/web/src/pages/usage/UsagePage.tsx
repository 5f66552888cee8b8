import { useScene } from '../../session/scene.ts'
import { Callout } from '../../ui/Callout.tsx'
import { Page } from '../../ui/Page.tsx'
import { CreditsCard } from './CreditsCard.tsx'
import { KeysCard } from './KeysCard.tsx'
import { LedgerCard } from './LedgerCard.tsx'
import { LowCard } from './LowCard.tsx'
import { UsageCard } from './UsageCard.tsx'

/** What there is, what was used and by which key, and every movement of credits. */
export function UsagePage() {
  const { mode } = useScene()
  return (
    <Page
      title="Usage & credits"
      about="What was asked, what it cost, and where every credit came from and went. Days are in UTC."
    >
      {mode === 'test' ? (
        <Callout>Test mode charges nothing. Credits and their movements are shown in live mode.</Callout>
      ) : (
        <CreditsCard />
      )}
      <UsageCard />
      <KeysCard />
      {mode === 'live' && <LedgerCard />}
      {mode === 'live' && <LowCard />}
    </Page>
  )
}
