import { useScene } from '../../../session/scene.ts'
import { Callout } from '../../../ui/Callout.tsx'
import { Page } from '../../../ui/Page.tsx'
import { CreditsCard } from './CreditsCard.tsx'
import { KeysCard } from './KeysCard.tsx'
import { LedgerCard } from './LedgerCard.tsx'
import { LowCard } from './LowCard.tsx'
import { UsageCard } from './UsageCard.tsx'

/** Credit balance, usage by day and key, and credit transactions. */
export function UsagePage() {
  const { mode } = useScene()
  return (
    <Page title="Usage & credits" about="Usage, credit balance and credit transactions. Days are in UTC.">
      {mode === 'test' ? (
        <Callout>Test mode uses no credits. Credits and transactions are shown in live mode.</Callout>
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
