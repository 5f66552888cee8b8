import { expect, test } from 'vitest'
import { plant } from './test-workspace.ts'
import { countByKind, listBannedWords, type WordKind } from './words.ts'
import { readWorkspace } from './workspace.ts'

const PLANTED: [kind: WordKind, path: string, text: string][] = [
  ['web', 'apps/web/src/Text.tsx', 'export const Text = () => <p>Nobody is signed in</p>\n'],
  ['web', 'apps/web/src/Label.tsx', 'export const Label = () => <input aria-label="Lists under way" />\n'],
  ['emails', 'apps/api/src/users/email/emails.ts', "export const subject = 'Somebody signed in'\n"],
  ['logs', 'apps/worker/src/start.ts', "log.warn({ id }, 'redis is away')\n"],
  ['strings', 'apps/api/src/http/problem.ts', `export const detail = \`The \${name} is set aside\`\n`],
  ['strings', 'apps/admin/src/command.ts', "export const text = 'Writes letters to members'\n"],
  ['strings', 'apps/cli/src/command.ts', "export const text = 'What costs a credit is refused.'\n"],
  [
    'strings',
    'packages/contract/src/constants/data/problems.ts',
    "export const title = 'The organisation is closed'\n",
  ],
  ['strings', 'packages/doctor/src/egress.ts', "export const title = 'A way out is set'\n"],
  ['strings', 'packages/engine/src/evidence.ts', "export const text = 'The server turned us away'\n"],
  ['strings', 'packages/sdk/src/client.ts', "export const text = 'Whoever calls waits'\n"],
  ['strings', 'packages/settings/src/api.ts', "export const text = 'The color of a colour'\n"],
  ['monitoring', 'deploy/monitoring/alerts.yml', '      summary: The books differ\n'],
  ['monitoring', 'deploy/monitoring/grafana/dashboards/a.json', '  "title": "Put off",\n'],
  ['names', 'packages/engine/src/probe.ts', 'export function askServer() {}\n'],
  ['names', 'packages/database/src/result.ts', 'export type StoredAnswer = string\n'],
  ['names', 'packages/engine/src/limits.ts', 'export const PROVIDER_HABITS = {}\n'],
  ['names', 'packages/engine/src/smtp/waiting-room.ts', 'export const size = 1\n'],
  ['names', 'packages/database/src/desk/lookup.ts', 'export const size = 1\n'],
  ['names', 'packages/sdk/src/transport.ts', 'export function toWire() {}\n'],
  ['names', 'apps/api/src/charge.ts', 'export type Till = { id: string }\n'],
  ['names', 'apps/worker/src/probing/ways-out.ts', 'export const size = 1\n'],
  ['names', 'apps/web/src/shell/AskFailed.tsx', 'export const size = 1\n'],
  ['names', 'apps/web/src/pages/users/notices-query.ts', 'export const size = 1\n'],
  ['names', 'apps/cli/src/letters/send.ts', 'export const size = 1\n'],
  [
    'comments',
    'apps/api/src/start.ts',
    '/**\n * Starts the API.\n * Nobody waits for it.\n */\nexport function start() {}\n',
  ],
  ['comments', 'apps/api/src/old.ts', '/** @deprecated nobody calls it */\nexport const size = 1\n'],
  ['comments', 'apps/web/src/Page.tsx', 'export const Page = () => <p>{/* anybody may see it */}</p>\n'],
  ['comments', 'testing/lab/src/stop.ts', 'export function stop() {\n  // for whoever waits\n}\n'],
  ['comments', 'vitest.setup.ts', 'export const size = 1 // everybody reads it\n'],
  ['comments', '.ci/count.mjs', '// Whosoever counts.\nexport const size = 1\n'],
  ['comments', 'packages/database/schema/jobs.sql', "select '--'; -- somebody's job\n"],
  ['comments', 'deploy/install.sh', 'true # for everybody\n'],
  ['titles', 'apps/api/src/text.test.ts', "test('nobody is signed in', () => {})\n"],
  ['titles', 'apps/api/src/each.test.ts', `test.each([1])(\`whoever reads \${size} of %s\`, () => {})\n`],
  ['titles', 'apps/api/src/group.test.ts', "describe.skip('anybody', { timeout: 1 }, () => {})\n"],
  ['docs', 'README.md', '# Probity\n\nA hoster closes\nport 25.\n'],
  ['docs', 'docs/decisions/0001-a.md', '| term | text |\n|---|---|\n| a | this is gone |\n'],
]

test.each(PLANTED)('listBannedWords finds a banned word in %s, %s', (kind, path, text) => {
  const faults = listBannedWords(readWorkspace(plant({ 'docs/empty.md': '\n', [path]: text })))

  expect(faults.map((fault) => ({ kind: fault.kind, path: fault.path }))).toEqual([{ kind, path }])
  expect(countByKind(faults)[kind]).toBe(1)
})

const ALLOWED: [path: string, text: string][] = [
  ['apps/api/src/text.test.ts', "test('a name', () => expect('nobody').toBe(find('somebody')))\n"],
  ['apps/api/src/argument.test.ts', "test('a name', findName, 'nobody')\n"],
  ['apps/api/src/user.ts', '/** Runs as `nobody`, or for nobody@example.com. */\nexport const nobody = 1\n'],
  ['packages/database/schema/jobs.sql', "select '-- nobody' as nobody; -- a name\n"],
  ['deploy/install.sh', 'chown nobody "$1"\n'],
  ['apps/api/src/names.ts', "import { nobody } from './nobody.ts'\nexport const kind = 'nobody'\n"],
  ['apps/api/src/query.ts', 'sql`select nobody from somebody`\n'],
  ['packages/engine/src/address.ts', "export const text = 'Upper-case letters, digits and letters of scripts'\n"],
  ['packages/engine/src/task.ts', 'export const taskPlacement = 1\nconst ask = 1\n'],
  ['packages/database/src/audit-log.ts', 'export type AuditEntry = { answer: string }\n'],
  ['packages/database/migrations/0001-lists.sql', 'select 1;\n'],
  ['demo/desk.ts', 'export const desk = 1\n'],
  ['apps/api/src/invoice.ts', 'export type InvoiceLine = string\n'],
  ['apps/web/src/pages/jobs/ListsPage.tsx', 'export const AuditTable = 1\nexport const StuckNotice = 1\n'],
  ['docs/glossary.md', 'Not: nobody, somebody.\n'],
  ['docs/code.md', 'Text with `nobody` and\n\n```sh\necho nobody\n```\n'],
]

test.each(ALLOWED)('listBannedWords accepts code, test data and the glossary: %s', (path, text) => {
  expect(listBannedWords(readWorkspace(plant({ 'docs/empty.md': '\n', [path]: text })))).toEqual([])
})

test('listBannedWords names the line of a word inside a paragraph', () => {
  const root = plant({ 'docs/a.md': '# Title\n\nFirst line\nand nobody.\n' })

  expect(listBannedWords(readWorkspace(root))).toMatchObject([{ path: 'docs/a.md', line: 4 }])
})
