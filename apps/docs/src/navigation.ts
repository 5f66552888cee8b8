/** A page of the site by the name of its text, or a page that the service shows beside it. */
type Entry = string | { label: string; link: string; says: string }

export type Group = { label: string; entries: Entry[] }

const REFERENCE = {
  label: 'API reference',
  link: '/api',
  says: 'Every operation, with its fields, answers and examples.',
}

/** What stands in the sidebar, in this order. A text that is not here, or an entry without a text, ends the build. */
export const NAVIGATION: Group[] = [
  { label: 'Start', entries: ['quick-start', 'test-mode'] },
  {
    label: 'Concepts',
    entries: [
      'concepts/verdicts',
      'concepts/evidence',
      'concepts/catch-all',
      'concepts/greylisting',
      'concepts/credits',
      'confidence',
      'feedback',
    ],
  },
  {
    label: 'Guides',
    entries: [
      'guides/sign-up-form',
      'guides/clean-a-list',
      'guides/nightly-crm',
      'local-webhooks',
      'guides/migrate-from-zerobounce',
      'guides/migrate-from-kickbox',
    ],
  },
  {
    label: 'Reference',
    entries: [
      REFERENCE,
      'api-keys',
      'api-requests',
      'api-conventions',
      'versioning',
      'errors',
      'limits',
      'abuse-limits',
      'webhooks',
      'policies',
      'allow-block-lists',
      'publishable-keys',
      'requests',
    ],
  },
  { label: 'Tools', entries: ['sdk', 'sdk-reference', 'cli', 'mcp'] },
  {
    label: 'Self-hosting',
    entries: ['running', 'settings', 'doctor', 'operating', 'metrics', 'payments', 'scale', 'benchmarks'],
  },
  { label: 'More', entries: ['security', 'supply-chain', 'retention', 'model-card', 'changelog'] },
]

/** Where texts and navigation disagree, in words. */
export function listDisagreements(ids: string[], navigation: Group[] = NAVIGATION): string[] {
  const named = listPages(navigation)
  return [
    ...ids.filter((id) => !named.includes(id)).map((id) => `${id} is not in the navigation`),
    ...named.filter((id) => !ids.includes(id)).map((id) => `the navigation names ${id}, which has no text`),
    ...named.filter((id, at) => named.indexOf(id) !== at).map((id) => `the navigation names ${id} twice`),
  ]
}

export function listPages(navigation: Group[] = NAVIGATION): string[] {
  return navigation.flatMap(({ entries }) => entries.filter((entry) => typeof entry === 'string'))
}
