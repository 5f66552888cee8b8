import type { Fault } from './fault.ts'
import { listImports } from './imports.ts'
import { isForTests, placeOf, placeOfImport } from './places.ts'
import type { Source, Workspace } from './workspace.ts'

/** What one folder may import from another: everything, or only the row types of its `tables.ts`. */
type Reach = 'all' | 'tables'

/** The folders of a part, and the folders that each may import. An import that is not listed is rejected. */
type Folders = Record<string, Record<string, Reach>>

/** Keys are a part of the import table, or a folder of one. */
const MAY_IMPORT: Record<string, Folders> = {
  database: {
    connection: forEach('tables', [
      'accounts',
      'billing',
      'jobs',
      'operators',
      'system',
      'users',
      'validations',
      'webhooks',
    ]),
    webhooks: forEach('all', ['connection']),
    billing: forEach('all', ['connection']),
    accounts: forEach('all', ['connection', 'webhooks']),
    users: forEach('all', ['connection', 'accounts']),
    validations: forEach('all', ['connection', 'webhooks', 'billing', 'accounts']),
    jobs: forEach('all', ['connection', 'webhooks', 'billing', 'accounts', 'validations']),
    feedback: forEach('all', ['connection', 'jobs']),
    system: forEach('all', ['connection', 'validations', 'jobs', 'feedback']),
    operators: forEach('all', ['connection', 'jobs', 'system']),
  },
  'engine/smtp': {
    protocol: {},
    replies: forEach('all', ['protocol']),
    providers: forEach('all', ['protocol', 'replies']),
    connections: forEach('all', ['protocol', 'replies', 'providers']),
    probe: forEach('all', ['protocol', 'replies', 'providers', 'connections']),
  },
  // A subject of the API imports no other subject; server/ combines them.
  api: {
    http: {},
    middleware: forEach('all', ['http']),
    validations: forEach('all', ['http', 'middleware']),
    jobs: forEach('all', ['http', 'middleware']),
    accounts: forEach('all', ['http', 'middleware']),
    users: forEach('all', ['http', 'middleware']),
    billing: forEach('all', ['http', 'middleware']),
    webhooks: forEach('all', ['http', 'middleware']),
    feedback: forEach('all', ['http', 'middleware']),
    operators: forEach('all', ['http', 'middleware']),
    mcp: forEach('all', ['http', 'middleware']),
    static: {},
    server: forEach('all', [
      'http',
      'middleware',
      'validations',
      'jobs',
      'accounts',
      'users',
      'billing',
      'webhooks',
      'feedback',
      'operators',
      'mcp',
      'static',
    ]),
  },
}

function forEach(reach: Reach, folders: string[]): Record<string, Reach> {
  return Object.fromEntries(folders.map((folder) => [folder, reach]))
}

export function listForbiddenFolders({ sources }: Workspace): Fault[] {
  const product = sources.filter(({ path }) => !isForTests(path))
  return Object.entries(MAY_IMPORT).flatMap(([parent, folders]) =>
    product.flatMap((source) => judgeFile(source, parent, folders)),
  )
}

function judgeFile({ path, tree }: Source, parent: string, folders: Folders): Fault[] {
  const own = insideOf(parent, placeOf(path))?.folder
  if (own === undefined) return []
  const row = folders[own]
  if (row === undefined)
    return [{ path, line: 1, message: `${parent}/${own} has no row in checks/src/folder-imports.ts` }]
  return listImports(tree).flatMap(({ specifier = '', line, typeOnly }) => {
    const to = insideOf(parent, placeOfImport(path, specifier))
    if (to === undefined || to.folder === own) return []
    const message = judge(row[to.folder], { own, to, typeOnly })
    return message === undefined ? [] : [{ path, line, message }]
  })
}

type Inside = { folder: string; file: string }

function judge(reach: Reach | undefined, { own, to, typeOnly }: { own: string; to: Inside; typeOnly: boolean }) {
  if (reach === undefined) return `${own}/ may not import ${to.folder}/`
  if (reach === 'all' || (to.file === 'tables' && typeOnly)) return undefined
  return `${own}/ may import only ${to.folder}/tables, with "import type"`
}

/** The folder directly below `parent` and the file in it; undefined for files beside the folders and of other parts. */
function insideOf(parent: string, place: ReturnType<typeof placeOf>): Inside | undefined {
  const path = place && `${place.part}/${place.inside}`
  if (!path?.startsWith(`${parent}/`)) return undefined
  const [folder = '', ...file] = path.slice(parent.length + 1).split('/')
  return file.length === 0 ? undefined : { folder, file: file.join('/') }
}
