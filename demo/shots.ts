import type { Page } from 'playwright-core'
import { pickExamples } from './examples.ts'
import type { Places } from './furnish.ts'
import type { Demo } from './product.ts'

/** One page of a screenshot, with the actions before it. */
export type Shot = {
  name: string
  path(places: Places): string
  signedOut?: boolean
  prepare?(page: Page, demo: Demo): Promise<void>
}

/** The list in progress comes first, because its state changes. */
export const SHOTS: Shot[] = [
  { name: 'list-running', path: ({ running }) => `/app/lists/${running}` },
  { name: 'lists', path: () => '/app/lists' },
  { name: 'list-finished', path: ({ finished }) => `/app/lists/${finished}` },
  { name: 'validate', path: () => '/app/validate', prepare: askForOne },
  { name: 'dashboard', path: () => '/app/' },
  { name: 'quick-start', path: () => '/app/quick-start' },
  { name: 'keys', path: () => '/app/keys' },
  { name: 'requests', path: () => '/app/requests' },
  { name: 'webhooks', path: () => '/app/webhooks' },
  { name: 'policies', path: () => '/app/policies' },
  { name: 'usage', path: () => '/app/usage' },
  { name: 'billing', path: () => '/app/billing' },
  { name: 'allow-and-block', path: () => '/app/settings/allow-and-block' },
  { name: 'audit-log', path: () => '/app/settings/audit-log' },
  { name: 'operator-health', path: () => '/app/operator/health' },
  { name: 'operator-providers', path: () => '/app/operator/providers' },
  { name: 'docs', path: () => '/docs', signedOut: true },
  { name: 'sign-in', path: () => '/app/sign-in', signedOut: true },
]

/** A recipient that the mail server of a business rejects as unknown. */
async function askForOne(page: Page, { simulation }: Demo): Promise<void> {
  const [example] = pickExamples(simulation.simulation, [{ subStatus: 'mailbox_not_found', at: 'google_workspace' }], 0)
  await page.getByRole('textbox').first().fill(String(example?.email))
  await page.keyboard.press('Enter')
  await page.getByRole('tab', { name: 'JSON' }).waitFor()
}
