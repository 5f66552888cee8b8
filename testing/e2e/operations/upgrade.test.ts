import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asOwner, connect, type Db } from '@probity/database/connection/connect'
import { createEmptyDatabase, createTestDatabase } from '@probity/database/connection/test-database'
import { migrate } from '@probity/database/system/migrate'
import { listOwnMigrations } from '@probity/database/system/schema-version'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startListAfterList } from '../environment/consecutive-jobs.ts'
import { callApi, createApiClient } from '../environment/instance.ts'
import {
  confirmList,
  expectCleanLedger,
  expectCompleted,
  listSettings,
  startListLoad,
  startListWorker,
  startTestSimulation,
} from '../environment/jobs.ts'
import { insertPartialJob } from '../environment/partial-job.ts'
import { startApiProcess } from '../environment/processes.ts'
import { ROOT } from '../environment/programs.ts'
import { startOwnRedis } from '../environment/redis.ts'

const MIGRATIONS = join(ROOT, 'packages/database/migrations')
/** `pnpm release prepare` creates it. */
const RELEASED = join(ROOT, 'packages/database/released.json')
const OLD_ROWS = 80
const ROWS = 2_000
const LATER_ROWS = 200
const OTHERS = 6_000
const LONG_MS = 300_000

const simulation = await startTestSimulation(ROWS + OTHERS)

/** A possible next version: each kind of step that a migration may take, on the most used tables. */
const NEXT: Record<string, string> = {
  '9001_columns': `
    alter table jobs add column note text, add column colour text not null default 'grey';
    alter table job_batches add column note text;
    alter table result_chunks add column note text;
    alter table accounts add column note text;
    alter table api_keys add column note text;
    alter table validations add column note text;`,
  '9002_table': `
    create table job_notes (
      account_id uuid not null references accounts (id) on delete cascade,
      job_id uuid not null references jobs (id) on delete cascade,
      text text not null,
      primary key (account_id, job_id)
    );
    alter table job_notes enable row level security;
    create policy tenant on job_notes using (account_id = app_account());
    grant select, insert on job_notes to probity_app;`,
  '9003_function': `
    create function note_job() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
    begin
      insert into job_notes (account_id, job_id, text) values (new.account_id, new.id, new.colour) on conflict do nothing;
      return null;
    end
    $$;
    create trigger note after update of done_count on jobs for each row execute function note_job();`,
  '9004_constraint': 'alter table jobs add constraint has_colour check (colour <> $$$$) not valid;',
  '9005_index': '-- Outside a transaction.\ncreate index concurrently jobs_by_colour on jobs (account_id, colour);',
}

function makeMigrationsFolder(): string {
  const folder = makeFolder('probity-migrations')
  whenDone(() => removeFolder(folder))
  return folder
}

/** The migrations of the last release, so that no other version of the repository is needed. */
async function copyReleased(): Promise<{ folder: string; names: string[]; later: string[] }> {
  const { migration } = JSON.parse(readFileSync(RELEASED, 'utf8')) as { migration: string }
  const [folder, own] = [makeMigrationsFolder(), await listOwnMigrations()]
  const names = own.filter((name) => name <= migration)
  for (const name of names) cpSync(join(MIGRATIONS, `${name}.sql`), join(folder, `${name}.sql`))
  return { folder, names, later: own.slice(names.length) }
}

function plantNextVersion(): string {
  const folder = makeMigrationsFolder()
  cpSync(MIGRATIONS, folder, { recursive: true })
  for (const [name, text] of Object.entries(NEXT)) writeFileSync(join(folder, `${name}.sql`), text)
  return folder
}

test(
  'the migrations of the next version run during jobs without a failed request and with an exact ledger',
  async () => {
    const [{ url, db }, redisUrl] = await Promise.all([createTestDatabase(), startOwnRedis()])
    const settings = listSettings(url, redisUrl)
    const [api] = await Promise.all([startApiProcess(settings), startListWorker(settings, simulation)])
    const apiClient = await createApiClient({ db, api }, { credits: 100_000 })
    const lists = startListAfterList({ db, url: api.url, apiClient, simulation, rows: ROWS, atOnce: 4 })
    const first = await lists.first
    const load = startListLoad(apiClient, { simulation, jobId: () => first, singles: 2, readers: 1 })
    await lists.atWork()

    expect(await migrate(url, { folder: plantNextVersion() })).toEqual(Object.keys(NEXT))

    const ids = await lists.stop()
    const later = await confirmList(api.url, apiClient, simulation.draw(LATER_ROWS))
    for (const id of ids) await expectCompleted(db, simulation, { id, rows: ROWS })
    await expectCompleted(db, simulation, { id: later, rows: LATER_ROWS })
    const observed = await load.stop()
    const wrong = observed.filter((one) => one.wrong !== undefined)
    expect(wrong.filter(({ status, wrong }) => status !== 200 || wrong !== 'unknown timeout')).toEqual([])
    expect(observed.length).toBeGreaterThan(50)
    expect(await listAppliedUnderWay(db)).toEqual(Object.keys(NEXT))
    expect(await listNoted(db)).toContain(later)
    await expectCleanLedger(db)
  },
  LONG_MS,
)

/** The migrations of the next version that were applied during a job. */
async function listAppliedUnderWay(db: Db): Promise<string[]> {
  const { rows } = await asOwner(db, (trx) =>
    sql<{ name: string }>`
      select m.name from migrations m where m.name like '9%' and exists (
        select from jobs j where j.created_at < m.run_on::timestamptz and j.finished_at > m.run_on::timestamptz
      ) order by m.name`.execute(trx),
  )
  return rows.map(({ name }) => name)
}

/** The jobs whose work the trigger of the next version recorded. */
async function listNoted(db: Db): Promise<string[]> {
  const { rows } = await asOwner(db, (trx) =>
    sql<{ jobId: string }>`select job_id from job_notes order by job_id`.execute(trx),
  )
  return rows.map(({ jobId }) => jobId)
}

/** Processes of this version act as those of the next one, and a process does not start if the database has migrations that it lacks. */
async function forgetNextVersion(db: Db): Promise<void> {
  await asOwner(db, (trx) => sql`delete from migrations where name like '9%'`.execute(trx))
}

// Before the first release there is no older version to upgrade from.
test.runIf(existsSync(RELEASED))(
  'a partly processed job of the last release completes after all later migrations, each address charged once',
  async () => {
    const [url, redisUrl, released] = await Promise.all([createEmptyDatabase(), startOwnRedis(), copyReleased()])
    expect(released.names).toContain('0001_baseline')
    expect(await migrate(url, { folder: released.folder })).toEqual(released.names)
    const db = connect(url)
    whenDone(() => db.destroy())
    const old = await insertPartialJob(db, simulation, simulation.draw(OLD_ROWS))

    expect(await migrate(url, { folder: plantNextVersion() })).toEqual([...released.later, ...Object.keys(NEXT)])
    await forgetNextVersion(db)
    const settings = listSettings(url, redisUrl)
    const [api] = await Promise.all([startApiProcess(settings), startListWorker(settings, simulation)])
    await expectCompleted(db, simulation, { id: old.jobId, rows: OLD_ROWS })

    const asOwner = { 'x-api-key': old.key }
    const account = await callApi(`${api.url}/api/v1/account`, 'GET', undefined, asOwner)
    expect(account).toMatchObject({ status: 200, body: { credits: { available: old.credits - OLD_ROWS } } })
    const job = await callApi(`${api.url}/api/v1/bulk/jobs/${old.jobId}`, 'GET', undefined, asOwner)
    expect(job).toMatchObject({ status: 200, body: { status: 'completed' } })
    await expectCleanLedger(db)
  },
  LONG_MS,
)
