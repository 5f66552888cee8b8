/** The id of a page of the site, or a link to another page of the service. */
type Entry = string | { label: string; link: string; says: string }

export type Group = { label: string; entries: Entry[] }

const REFERENCE = {
  label: 'API reference',
  link: '/api',
  says: 'All operations with their fields, responses and examples.',
}

/** The sidebar, in this order. The build fails if a page is missing here or an entry has no page. */
export const NAVIGATION: Group[] = [
  { label: 'Get started', entries: ['what-is-probity', 'quick-start', 'docker', 'demo', 'test-mode', 'glossary'] },
  {
    label: 'API',
    entries: [
      'authentication',
      'api-conventions',
      'versioning',
      'validation-single',
      'validation-bulk',
      'jobs',
      'decisions-for-web-pages',
      'webhooks',
      'erasure',
      'requests',
      'errors',
      'limits',
      'abuse-limits',
      REFERENCE,
    ],
  },
  {
    label: 'Understand results',
    entries: [
      'concepts/verdicts',
      'concepts/evidence',
      'confidence',
      'concepts/catch-all',
      'concepts/greylisting',
      'policies',
      'allow-block-lists',
      'feedback',
      'concepts/credits',
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
  { label: 'SDK and tools', entries: ['sdk', 'sdk-reference', 'cli', 'mcp', 'python', 'php'] },
  {
    label: 'Self-hosting',
    entries: [
      'requirements',
      'docker-compose',
      'debian',
      'kubernetes',
      'first-time-setup',
      'operator-commands',
      'reverse-proxy',
      'deliverability-setup',
      'smtp-probing',
      'settings',
      'processes',
      'postgresql',
      'upgrading',
      'backups',
      'operator-pages',
      'monitoring',
      'metrics',
      'scale',
      'payments',
      'doctor',
      'troubleshooting',
    ],
  },
  {
    label: 'About',
    entries: [
      'how-it-works',
      'comparison',
      'security',
      'privacy',
      'retention',
      'supply-chain',
      'model-card',
      'changelog',
    ],
  },
]

/** Differences between the pages and the navigation, as messages. */
export function listDisagreements(ids: string[], navigation: Group[] = NAVIGATION): string[] {
  const named = listPages(navigation)
  return [
    ...ids.filter((id) => !named.includes(id)).map((id) => `${id} is not in the navigation`),
    ...named.filter((id) => !ids.includes(id)).map((id) => `the navigation names ${id}, which has no page`),
    ...named.filter((id, at) => named.indexOf(id) !== at).map((id) => `the navigation names ${id} twice`),
  ]
}

export function listPages(navigation: Group[] = NAVIGATION): string[] {
  return navigation.flatMap(({ entries }) => entries.filter((entry) => typeof entry === 'string'))
}
