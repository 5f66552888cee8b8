/** A page in a list: `label` is its short title, `href` its URL, `copyHref` that of its Markdown copy. */
export type Item = { id: string; title: string; label: string; says: string; href: string; copyHref: string }
type ItemGroup = { label: string; items: Item[] }

type Role = { label: string; says: string; pages: string[] }

/** Where each kind of reader starts: the cards of the index page. */
export const ROLES: Role[] = [
  {
    label: 'Developers',
    says: 'Validate addresses from a program or a sign-up form.',
    pages: ['quick-start', 'validation-single', 'guides/sign-up-form', 'webhooks', 'api'],
  },
  {
    label: 'Marketers',
    says: 'Clean a list before a campaign, without writing code.',
    pages: ['guides/clean-a-list', 'concepts/verdicts', 'confidence', 'concepts/credits'],
  },
  {
    label: 'Operators',
    says: 'Run Probity on your own servers.',
    pages: ['docker-compose', 'deliverability-setup', 'monitoring', 'troubleshooting'],
  },
  {
    label: 'Contributors',
    says: 'Understand how Probity works. `CONTRIBUTING.md` in the source describes how to change it.',
    pages: ['how-it-works', 'model-card', 'supply-chain', 'changelog'],
  },
]

export const ABOUT = 'Probity validates email addresses and returns a verdict with the evidence behind it.'

const EXAMPLE = `This request needs no account: the public sandbox key selects the result by the local part, and no mail server is contacted.`

type Home = { page: string; copy: string }

/** The index page: an example that runs, the pages for each role, and all pages. `quickStart` is the page that has the example. */
export function writeHome(groups: ItemGroup[], quickStart: string): Home {
  const example = `${EXAMPLE}\n\n${findBlock(quickStart, 'sh')}\n\nThe response, shortened:\n\n${findBlock(quickStart, 'json')}`
  const items = new Map(groups.flatMap((group) => group.items.map((item) => [item.id, item])))
  const roles = ROLES.map(({ label, says, pages }) => ({ label, says, items: pages.map((id) => getItem(items, id)) }))
  return {
    page: [ABOUT, example, '## Where to start', writeCards(roles), ...groups.map(writeGroup('href'))].join('\n\n'),
    copy: [ABOUT, example, ...groups.map(writeGroup('copyHref'))].join('\n\n'),
  }
}

function findBlock(text: string, language: string): string {
  const [block] = new RegExp(`^\`\`\`${language}\\n[\\s\\S]*?^\`\`\`$`, 'm').exec(text) ?? []
  if (block === undefined) throw new Error(`the quick start has no ${language} block`)
  return block
}

function getItem(items: Map<string, Item>, id: string): Item {
  const item = items.get(id)
  if (item === undefined) throw new Error(`the index page names ${id}, which has no page`)
  return item
}

function writeCards(roles: (Omit<Role, 'pages'> & { items: Item[] })[]): string {
  const cards = roles.map(({ label, says, items }) => {
    const links = items.map((item) => `- [${item.label}](${item.href})`)
    return `<section>\n\n### ${label}\n\n${says}\n\n${links.join('\n')}\n\n</section>`
  })
  return `<div class="roles">\n${cards.join('\n')}\n</div>`
}

function writeGroup(pick: 'href' | 'copyHref') {
  return ({ label, items }: ItemGroup): string =>
    `## ${label}\n\n${items.map((item) => `- [${item.label}](${item[pick]}): ${item.says}`).join('\n')}`
}
