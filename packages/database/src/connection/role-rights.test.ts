import { randomUUID } from 'node:crypto'
import { whenDone } from '@probity/lab/when-done'
import { Client, escapeIdentifier } from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { getSecret } from '../system/processes.ts'
import { connect, withoutTenant } from './connect.ts'
import { MAINTENANCE_RIGHTS } from './data/maintenance-rights.ts'
import type { TableRights } from './data/role-rights.ts'
import { WORKER_RIGHTS } from './data/worker-rights.ts'
import { createTestDatabase } from './test-database.ts'

const { url } = await createTestDatabase()
const owner = await open(url)

async function open(at: string): Promise<Client> {
  const client = new Client({ connectionString: at })
  await client.connect()
  whenDone(() => client.end())
  return client
}

type Relation = { name: string; columns: string[]; isView: boolean }

const { rows: relations } = await owner.query<Relation>(`
  select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns, c.relkind in ('v', 'm') as "isView"
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition
  group by c.relname, c.relkind order by c.relname`)

const { rows: partitions } = await owner.query<{ name: string }>(`
  select relname as name from pg_class where relnamespace = 'public'::regnamespace and relispartition and relkind = 'r'`)

type Routine = { name: string; call: string }

const { rows: routines } = await owner.query<Routine>(`
  select p.proname as name,
    format('select %I(%s)', p.proname,
      (select string_agg(format('null::%s', format_type(t.type, null)), ', ' order by t.n)
       from unnest(p.proargtypes::oid[]) with ordinality as t (type, n))) as call
  from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prokind = 'f' and p.prorettype <> 'trigger'::regtype
  order by p.proname`)

const PERMISSION_DENIED = '42501'

/** One statement for each right on a column or table. */
function listAttempts({ name, columns, isView }: Relation): { right: string; statement: string }[] {
  const table = escapeIdentifier(name)
  const reads = columns.map((column) => ({
    right: `select ${column}`,
    statement: `select ${escapeIdentifier(column)} from ${table} limit 0`,
  }))
  if (isView) return reads
  const writes = columns.flatMap((column) => {
    const quoted = escapeIdentifier(column)
    return [
      { right: `insert ${column}`, statement: `insert into ${table} (${quoted}) values (default)` },
      { right: `update ${column}`, statement: `update ${table} set ${quoted} = default where false` },
    ]
  })
  const whole = ['delete from', 'truncate'].map((right) => ({ right, statement: `${right} ${table}` }))
  return [...reads, ...writes, ...whole]
}

test('the catalog has the tables and functions to try', () => {
  expect(relations.length).toBeGreaterThan(45)
  expect(partitions.length).toBeGreaterThan(100)
  expect(routines.length).toBeGreaterThan(80)
  const names = relations.map(({ name }) => name)
  for (const { tables } of [WORKER_RIGHTS, MAINTENANCE_RIGHTS])
    expect(Object.keys(tables).filter((name) => !names.includes(name))).toEqual([])
})

describe.each([
  {
    program: 'worker',
    ...WORKER_RIGHTS,
    refused: ['probity_app', 'probity_users', 'probity_operator', 'probity_maintenance', 'postgres'],
  },
  {
    program: 'maintenance',
    ...MAINTENANCE_RIGHTS,
    refused: ['probity_app', 'probity_users', 'probity_operator', 'probity_worker', 'postgres'],
  },
])('the login of $program', ({ program, role, tables, secrets, functions, refused }) => {
  /** The login as deploy/postgres/roles.sh creates it: a member of its role and of no other. */
  const login = `${program}_${randomUUID().replaceAll('-', '')}`
  const loginUrl = Object.assign(new URL(url), { username: login, password: 'secret' }).href
  let client: Client

  beforeAll(async () => {
    await owner.query(`create role ${login} login noinherit password 'secret'; grant ${role} to ${login}`)
    client = new Client({ connectionString: loginUrl })
    await client.connect()
    await client.query(`set role ${role}`)
    return async () => {
      await client.end()
      await owner.query(`drop role ${login}`)
    }
  })

  /**
   * Whether the role lacks the right. Every attempt is rolled back; PostgreSQL checks rights before it reads a row. Row-level
   * security has the same code with another message.
   */
  async function isRefused(statement: string): Promise<boolean> {
    await client.query('begin')
    try {
      await client.query(statement)
      return false
    } catch (error) {
      const { code, message } = error as { code?: string; message: string }
      return code === PERMISSION_DENIED && message.startsWith('permission denied')
    } finally {
      await client.query('rollback')
    }
  }

  function listNeeded({ name, columns }: Relation): string[] {
    const rights: TableRights = tables[name] ?? {}
    const ofColumns = (['select', 'insert', 'update'] as const).flatMap((right) =>
      (rights[right] === 'all' ? columns : (rights[right] ?? [])).map((column) => `${right} ${column}`),
    )
    return [...ofColumns, ...(rights.delete ? ['delete from'] : [])]
  }

  test.for(relations)('has exactly the listed rights on $name', async (relation) => {
    const granted: string[] = []
    for (const { right, statement } of listAttempts(relation)) if (!(await isRefused(statement))) granted.push(right)
    expect(granted.toSorted()).toEqual(listNeeded(relation).toSorted())
  })

  test('has no right on a partition itself', async () => {
    for (const { name } of partitions)
      expect(await isRefused(`select from ${escapeIdentifier(name)} limit 0`)).toBe(true)
  })

  const needed = new Set(Object.values(functions).flat())

  test.for(routines.filter(({ name }) => !needed.has(name)))('may not execute $name', async ({ call }) => {
    expect(await isRefused(call)).toBe(true)
  })

  test('may execute every listed function, and each exists', async () => {
    const { rows } = await owner.query<{ name: string }>(`
    select distinct proname as name from pg_proc
    where pronamespace = 'public'::regnamespace and has_function_privilege('${role}', oid, 'execute')
      and prorettype <> 'trigger'::regtype order by 1`)
    expect(rows.map(({ name }) => name)).toEqual([...needed].toSorted())
  })

  test('reads the secrets of its tasks and no other', async () => {
    const db = connect(loginUrl, { connectionsMax: 1, programRole: role })
    whenDone(() => db.destroy())
    if (secrets.length === 0) {
      await expect(getSecret(db, 'sessions')).rejects.toMatchObject({ code: PERMISSION_DENIED })
      return
    }
    const { rows } = await client.query<{ name: string }>('select name from secrets order by name')
    expect(rows.map(({ name }) => name)).toEqual(secrets)
    await expect(getSecret(db, 'recent_results')).resolves.toBeDefined()
    await expect(getSecret(db, 'sessions')).rejects.toThrow('no result')
  })

  test.for(refused)('cannot switch to %s', async (other) => {
    expect(await isRefused(`set local role ${other}`)).toBe(true)
    expect(await isRefused(`set session authorization ${other}`)).toBe(true)
  })

  test('has no rights before it switches to its role', async () => {
    const fresh = await open(loginUrl)
    await expect(fresh.query('select from jobs limit 0')).rejects.toMatchObject({ code: PERMISSION_DENIED })
    const other = connect(loginUrl, { connectionsMax: 1 })
    whenDone(() => other.destroy())
    await expect(withoutTenant(other, async () => undefined)).rejects.toMatchObject({ code: PERMISSION_DENIED })
  })
})
