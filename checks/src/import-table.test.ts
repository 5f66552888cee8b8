import { expect, test } from 'vitest'
import { listFaults } from './house-rules.ts'
import { plant } from './test-workspace.ts'

const FINE = undefined
type Row = [path: string, text: string, refusal: string | undefined]

const value = (specifier: string) => `import { thing } from '${specifier}'\n\nthing()\n`
const types = (specifier: string) => `import type { Thing } from '${specifier}'\n\nexport type Other = Thing\n`

/** Plants each row's text at its path, all in one work tree, and returns the faults of a path. */
function judge(rows: Row[]): (path: string) => string[] {
  const faults = listFaults(plant(Object.fromEntries(rows.map(([path, text]) => [path, text]))))
  return (path) => faults.filter((fault) => fault.path === path).map(({ message }) => message)
}

function testImports(name: string, rows: Row[]) {
  test(name, () => {
    const found = judge(rows)
    const expected = rows.map(([path, , message]) => [path, message === undefined ? [] : [message]])
    expect(rows.map(([path]) => [path, found(path)])).toEqual(expected)
  })
}

const ADDRESS_ONLY = 'api may import only address/ of engine'

testImports('only the SDK is imported as a whole package', [
  ['apps/cli/src/a.ts', value('@probity/sdk'), FINE],
  [
    'apps/cli/src/b.ts',
    value('@probity/engine'),
    'imports engine as a whole: name the file, as in @probity/engine/name',
  ],
])

testImports('the API may import only address/ of the engine', [
  ['apps/api/src/a.ts', value('@probity/engine/address/parse'), FINE],
  ['apps/api/src/b.ts', value('@probity/engine/domain/mail-hosts'), ADDRESS_ONLY],
  ['apps/api/src/c.ts', value('@probity/engine/validate'), ADDRESS_ONLY],
  ['apps/api/src/d.ts', types('@probity/engine/verdict/decide'), ADDRESS_ONLY],
  ['apps/api/src/e.ts', value('@probity/engine/address-book'), ADDRESS_ONLY],
  ['apps/api/src/f.ts', value('@probity/engine/address/../validate'), ADDRESS_ONLY],
  ['apps/api/src/g.ts', value('@probity/engine'), ADDRESS_ONLY],
  ['apps/api/src/h.ts', value('../../../packages/engine/src/domain/mail-hosts.ts'), ADDRESS_ONLY],
  ['apps/api/src/jobs/i.ts', value('../../../../packages/engine/src/validate.ts'), ADDRESS_ONLY],
  ['apps/api/src/j.ts', "export const late = () => import('@probity/engine/validate')\n", ADDRESS_ONLY],
  ['apps/api/src/k.ts', "export type Late = import('@probity/engine/validate').Validation\n", ADDRESS_ONLY],
  ['apps/api/src/l.ts', "export const late = require('@probity/engine/validate')\n", ADDRESS_ONLY],
  ['apps/api/src/m.test.ts', value('@probity/engine/validate'), ADDRESS_ONLY],
  ['apps/api/src/p.ts', "export { validate } from '@probity/engine/validate'\n\nexport const two = 2\n", ADDRESS_ONLY],
  ['apps/api/src/q.ts', "import late = require('@probity/engine/validate')\n\nlate()\n", ADDRESS_ONLY],
  ['apps/api/src/r.ts', `${value('fastify')}export { thing }\n`, FINE],
  ['apps/api/src/n.tsx', 'export const late = () => import(`@probity/engine/validate`)\n', ADDRESS_ONLY],
  [
    'apps/api/src/o.ts',
    "// import '@probity/engine/validate'\nexport const text = \"import '@probity/engine/x'\"\n",
    FINE,
  ],
])

/** The complete table: which part may import which files of another part, by value. */
const PARTS = [
  'contract',
  'concurrency',
  'engine',
  'database',
  'redis',
  'uploads',
  'email',
  'sdk',
  'lab',
  'api',
  'worker',
  'admin',
  'web',
  'cli',
]
const REACH: Record<string, string[]> = {
  'packages/contract': [],
  'packages/concurrency': [],
  'packages/engine': ['contract', 'concurrency'],
  'packages/database': ['contract', 'concurrency'],
  'packages/redis': ['concurrency', 'engine'],
  'packages/uploads': ['contract'],
  'packages/email': ['redis'],
  'packages/sdk': [],
  'testing/lab': [],
  'apps/api': ['contract', 'concurrency', 'database', 'redis', 'uploads', 'email'],
  'apps/worker': ['contract', 'concurrency', 'engine', 'database', 'redis', 'uploads', 'email'],
  'apps/admin': ['contract', 'engine', 'database', 'redis', 'uploads'],
  'apps/web': ['sdk'], // of contract only types and constants/, see below
  'apps/cli': ['contract', 'engine', 'sdk'],
  checks: [],
  'testing/e2e': PARTS,
  'testing/chaos': PARTS,
  benchmarks: PARTS,
  demo: PARTS,
}

test.each(Object.entries(REACH))('%s may import the listed parts and no others', (folder, reach) => {
  const own = folder.split('/').at(-1)
  const rows = PARTS.filter((part) => part !== own).map((part): Row => {
    return [`${folder}/src/${part}-thing.ts`, value(`@probity/${part}/thing`), undefined]
  })
  const found = judge(rows)
  const passed = rows.filter(([path]) => found(path).length === 0).map(([path]) => path)
  expect(passed).toEqual(PARTS.filter((part) => reach.includes(part)).map((part) => `${folder}/src/${part}-thing.ts`))
})

testImports('uploads may import only address/ of the engine, and no part may import chaos', [
  ['packages/uploads/src/a.ts', value('@probity/engine/address/dedupe-key'), FINE],
  ['packages/uploads/src/b.ts', value('@probity/engine/validate'), 'uploads may import only address/ of engine'],
  ['packages/uploads/src/c.ts', value('@probity/database/uploads'), 'uploads may not import database'],
  ['packages/uploads/src/d.ts', value('@probity/lab/services/swift'), 'uploads may import lab only from tests'],
  ['packages/uploads/src/d.test.ts', value('@probity/lab/services/swift'), FINE],
  ['apps/api/src/a.ts', value('@probity/chaos/thing'), 'api may not import chaos'],
])

testImports('only tests and test helpers may import the lab', [
  ['apps/api/src/a.test.ts', value('@probity/lab/services/postgres'), FINE],
  ['apps/api/src/test-server.ts', value('@probity/lab/services/postgres'), FINE],
  ['apps/api/src/a.ts', value('@probity/lab/services/postgres'), 'api may import lab only from tests'],
  ['apps/admin/src/a.test.ts', value('@probity/lab/services/postgres'), FINE],
  ['apps/worker/src/a.test.ts', value('@probity/lab/services/postgres'), FINE],
  ['packages/database/src/a.test.ts', value('@probity/lab/services/postgres'), FINE],
  ['packages/redis/src/a.test.ts', value('@probity/lab/services/redis'), FINE],
  ['packages/engine/src/a.test.ts', value('@probity/lab/world'), FINE],
  ['packages/engine/src/latest.ts', value('@probity/lab/world'), 'engine may import lab only from tests'],
  ['packages/contract/src/a.test.ts', value('@probity/lab/world'), 'contract may not import lab'],
  ['apps/web/src/a.test.tsx', value('@probity/lab/world'), 'web may not import lab'],
])

testImports('only tests may import test helpers', [
  ['apps/api/src/a.test.ts', value('./test-server.ts'), FINE],
  ['apps/api/src/b.test.ts', value('@probity/database/test-database'), FINE],
  ['apps/api/src/a.ts', value('./test-server.ts'), 'imports test-server, which is for tests only'],
  ['apps/api/src/b.ts', value('@probity/database/test-database'), 'imports test-database, which is for tests only'],
  ['testing/e2e/a.ts', value('@probity/database/test-database'), FINE],
])

testImports('the SDK may import only types of the contract', [
  ['packages/sdk/src/a.ts', types('@probity/contract/status'), FINE],
  ['packages/sdk/src/b.ts', "export type { Status } from '@probity/contract/status'\n\nexport const two = 2\n", FINE],
  [
    'packages/sdk/src/c.ts',
    "import { type Status } from '@probity/contract/status'\n\nexport type Other = Status\n",
    'sdk may import only types of contract, with "import type"',
  ],
])

testImports('the web app may import no file with TypeBox', [
  ['apps/web/src/a.ts', value('@probity/contract/constants/users'), FINE],
  ['apps/web/src/b.ts', types('@probity/contract/schemas/users'), FINE],
  [
    'apps/web/src/c.ts',
    value('@probity/contract/schemas/users'),
    'web may import values only from constants/ of contract, and types with "import type"',
  ],
  ['apps/web/states/test-users.ts', value('@probity/contract/schemas/users'), FINE],
  ['packages/contract/src/constants/a.ts', value('./data/problems.ts'), FINE],
  ['packages/contract/src/constants/b.test.ts', value('../schemas/users.ts'), FINE],
  ['packages/contract/src/schemas/a.ts', value('../constants/users.ts'), FINE],
  [
    'packages/contract/src/constants/c.ts',
    types('../schemas/users.ts'),
    'constants/ of contract may not import schemas/users',
  ],
  [
    'packages/contract/src/constants/data/d.ts',
    value('typebox'),
    'constants/ of contract may not import typebox: it has no dependencies',
  ],
])

testImports('another part is imported by its package name and file name', [
  [
    'apps/api/src/a.ts',
    value('../../../packages/contract/src/status.ts'),
    'imports contract by path: write @probity/contract/status',
  ],
  [
    'apps/api/src/b.ts',
    value('@probity/contract'),
    'imports contract as a whole: name the file, as in @probity/contract/name',
  ],
  [
    'testing/e2e/c.ts',
    value('../../apps/api/src/server/main.ts'),
    'imports api by path: write @probity/api/server/main',
  ],
  ['testing/e2e/d.ts', value('@probity/api/server/main'), FINE],
])

testImports('rejects a part without a row, and a computed path', [
  ['packages/mystery/src/a.ts', value('@probity/contract/status'), 'mystery has no row in the import table'],
  ['apps/api/src/a.ts', value('@probity/mystery/status'), 'api may not import mystery'],
  [
    'apps/api/src/b.ts',
    'export const load = (name: string) => import(name)\n',
    'computes the path it imports, which no check can hold to the import table',
  ],
  ['testing/e2e/a.ts', 'export const load = (name: string) => import(name)\n', FINE],
])

testImports('an engine step may import the steps before it', [
  [
    'packages/engine/src/validate.ts',
    ['address', 'domain', 'smtp', 'verdict'].map((step) => value(`./${step}/x.ts`)).join(''),
    FINE,
  ],
  [
    'packages/engine/src/twin.ts',
    ['address', 'domain', 'smtp', 'verdict'].map((step) => value(`./${step}/x.ts`)).join(''),
    'only validate.ts may know all the steps',
  ],
  ['packages/engine/src/network.ts', value('./domain/x.ts'), FINE],
  ['packages/engine/src/address/a.ts', value('./parse.ts'), FINE],
  [
    'packages/engine/src/address/b.ts',
    value('../domain/x.ts'),
    'address/ may import nothing else of the engine, not even domain',
  ],
  [
    'packages/engine/src/address/c.ts',
    types('@probity/engine/verdict/x'),
    'address/ may import nothing else of the engine, not even verdict',
  ],
  [
    'packages/engine/src/address/d.ts',
    value('../network.ts'),
    'address/ may import nothing else of the engine, not even network',
  ],
  ['packages/engine/src/address/e.ts', value('@probity/contract/status'), FINE],
  ['packages/engine/src/address/f.test.ts', value('../domain/x.ts'), FINE],
  ['packages/engine/src/domain/a.ts', value('../address/x.ts'), FINE],
  ['packages/engine/src/domain/b.ts', value('../smtp/x.ts'), 'domain/ may not import smtp/'],
  ['packages/engine/src/domain/c.ts', value('../network.ts'), FINE],
  ['packages/engine/src/smtp/a.ts', value('../domain/x.ts') + value('../address/x.ts'), FINE],
  ['packages/engine/src/smtp/b.ts', value('../validate.ts'), 'smtp/ is a step of validate and may not import it'],
  ['packages/engine/src/verdict/a.ts', types('../smtp/x.ts') + types('../domain/x.ts'), FINE],
  ['packages/engine/src/verdict/c.ts', value('../address/x.ts'), FINE],
  [
    'packages/engine/src/verdict/d.ts',
    value('../domain/x.ts'),
    'verdict/ may import only types of domain/, with "import type"',
  ],
  [
    'packages/engine/src/verdict/b.ts',
    value('../smtp/x.ts'),
    'verdict/ may import only types of smtp/, with "import type"',
  ],
])

testImports('a database subject may import only the subjects below it', [
  ['packages/database/src/jobs/a.ts', value('../connection/connect.ts') + value('../billing/ledger.ts'), FINE],
  ['packages/database/src/jobs/results/b.ts', value('../../connection/connect.ts') + value('../jobs.ts'), FINE],
  ['packages/database/src/accounts/a.ts', value('../jobs/jobs.ts'), 'accounts/ may not import jobs/'],
  ['packages/database/src/accounts/b.ts', types('@probity/database/jobs/jobs'), 'accounts/ may not import jobs/'],
  ['packages/database/src/jobs/c.ts', value('../operators/reviews.ts'), 'jobs/ may not import operators/'],
  ['packages/database/src/webhooks/a.ts', value('../accounts/keys.ts'), 'webhooks/ may not import accounts/'],
  ['packages/database/src/accounts/a.test.ts', value('../jobs/jobs.ts'), FINE],
  ['packages/database/src/accounts/test-jobs.ts', value('../jobs/jobs.ts'), FINE],
  [
    'packages/database/src/mystery/a.ts',
    value('../connection/connect.ts'),
    'database/mystery has no row in checks/src/folder-imports.ts',
  ],
])

testImports('the connection may import only the row types of a subject', [
  ['packages/database/src/connection/a.ts', types('../jobs/tables.ts'), FINE],
  [
    'packages/database/src/connection/b.ts',
    value('../jobs/tables.ts'),
    'connection/ may import only jobs/tables, with "import type"',
  ],
  [
    'packages/database/src/connection/c.ts',
    types('../jobs/jobs.ts'),
    'connection/ may import only jobs/tables, with "import type"',
  ],
])

testImports('an API subject may import http/ and middleware/ and no other subject', [
  ['apps/api/src/jobs/a.ts', value('../http/problem.ts') + value('../middleware/find-policy.ts'), FINE],
  ['apps/api/src/jobs/b.ts', value('../validations/charge.ts'), 'jobs/ may not import validations/'],
  ['apps/api/src/accounts/keys/a.ts', types('../../jobs/jobs.ts'), 'accounts/ may not import jobs/'],
  ['apps/api/src/billing/a.ts', types('../server/services.ts'), 'billing/ may not import server/'],
  ['apps/api/src/middleware/a.ts', value('../users/users.ts'), 'middleware/ may not import users/'],
  ['apps/api/src/http/a.ts', value('../middleware/find-policy.ts'), 'http/ may not import middleware/'],
  ['apps/api/src/server/a.ts', value('../jobs/jobs.ts') + value('../validations/charge.ts'), FINE],
  ['apps/api/src/jobs/a.test.ts', value('../validations/charge.ts'), FINE],
  ['apps/api/src/mystery/a.ts', value('../http/problem.ts'), 'api/mystery has no row in checks/src/folder-imports.ts'],
])

testImports('a folder of the SMTP step may import only the folders below it', [
  ['packages/engine/src/smtp/protocol/a.ts', value('../replies/rules.ts'), 'protocol/ may not import replies/'],
  ['packages/engine/src/smtp/replies/a.ts', types('../providers/limits.ts'), 'replies/ may not import providers/'],
  [
    'packages/engine/src/smtp/providers/a.ts',
    value('../connections/pool.ts'),
    'providers/ may not import connections/',
  ],
  ['packages/engine/src/smtp/connections/a.ts', value('../probe/prober.ts'), 'connections/ may not import probe/'],
  [
    'packages/engine/src/smtp/probe/a.ts',
    ['protocol', 'replies', 'providers', 'connections'].map((folder) => value(`../${folder}/x.ts`)).join(''),
    FINE,
  ],
])
