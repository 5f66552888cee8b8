import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asOwner, inTenant, type Trx } from '../connection/connect.ts'
import { createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import {
  collectResult,
  deferResult,
  finishValidation,
  openValidations,
  type ValidationRef,
} from '../validations/validations.ts'
import { listDrift, postCredits } from './ledger.ts'
import { applyToModel, type Balances, newModel, type Operation, pickFrom } from './test-ledger-model.ts'

/** OPERATIONS=1000000 for a longer run. A quarter of the operations runs in gate 2, all of them in gate 3. */
const OPERATIONS = Number(process.env['OPERATIONS'] ?? 12_000)
const RUNS = [
  { operations: OPERATIONS / 4, tags: [] },
  { operations: OPERATIONS, tags: ['long'] },
]
const PER_ACCOUNT = 1_000
const SIDE_BY_SIDE = 4

const { db } = await createTestDatabase()

class RolledBack extends Error {}

const credits = fc.integer({ min: 1, max: 20 })
const pick = fc.nat(1_000)
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('grant'), credits }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('adjust'), credits: fc.integer({ min: -30, max: -1 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('open'), rows: fc.integer({ min: 1, max: 6 }), rollBack: rarely() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen'), pick }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('leave_open'), pick }) },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('finish'), pick, definite: fc.boolean(), rollBack: rarely() }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('collect'), pick }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('reserve'), credits }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('settle'), pick, credits, unknown: fc.nat(5), twice: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('release'), pick, twice: fc.boolean() }) },
)

function rarely(): fc.Arbitrary<boolean> {
  return fc.integer({ min: 0, max: 9 }).map((n) => n === 0)
}

/** The database references of the model's validations and jobs. */
type Kept = {
  refs: ValidationRef[]
  groups: { group: string; ids: string[] }[]
  jobs: { id: string; left: number; batches: number }[]
}

for (const { operations, tags } of RUNS) {
  test(`the ledger equals the model after each of ${operations} random transactions`, {
    tags,
    timeout: 60_000 + operations * 15,
  }, async () => {
    const runs = Math.ceil(operations / PER_ACCOUNT / SIDE_BY_SIDE)
    const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31)
    const sequences = fc.array(operation, { minLength: PER_ACCOUNT, maxLength: PER_ACCOUNT, size: 'max' })
    const lanes = Array.from({ length: SIDE_BY_SIDE }, (_, lane) =>
      fc.assert(fc.asyncProperty(sequences, followsTheModel), { numRuns: runs, seed: seed + lane, endOnFailure: true }),
    )
    await Promise.all(lanes)
    expect(await asOwner(db, listDrift)).toEqual([])
  })
}

async function followsTheModel(operations: Operation[]): Promise<void> {
  const { id } = await openTestAccount(db, 0)
  const model = newModel()
  const kept: Kept = { refs: [], groups: [], jobs: [] }
  for (const [step, operation] of operations.entries()) {
    const expected = describe(applyToModel(model, operation), model)
    const actual = await run(id, kept, operation)
    if (actual !== expected) expect({ step, operation, actual }).toEqual({ step, operation, actual: expected })
  }
}

function describe(outcome: string, { available, reserved, spent }: Balances): string {
  return `${outcome}: ${available} available, ${reserved} reserved, ${spent} spent`
}

async function run(accountId: string, kept: Kept, operation: Operation): Promise<string> {
  const work = async (trx: Trx) => {
    const outcome = await perform(trx, accountId, kept, operation)
    return describe(outcome, await balances(trx, accountId))
  }
  return inTenant(db, accountId, work).catch(async (error) => {
    if (!(error instanceof RolledBack)) throw error
    return describe(error.message, await inTenant(db, accountId, (trx) => balances(trx, accountId)))
  })
}

function balances(trx: Trx, accountId: string): Promise<Balances> {
  const account = trx.selectFrom('accounts').where('id', '=', accountId)
  return account.select(['available', 'reserved', 'spent']).executeTakeFirstOrThrow()
}

async function perform(trx: Trx, accountId: string, kept: Kept, operation: Operation): Promise<string> {
  switch (operation.kind) {
    case 'grant':
    case 'adjust': {
      const posting = await postCredits(trx, { ...operation, subject: randomUUID() })
      return posting.kind
    }
    case 'open':
      return open(trx, accountId, kept, operation)
    case 'reopen': {
      const group = pickFrom(kept.groups, operation.pick)
      return group ? (await openGroup(trx, accountId, group)).kind : 'none'
    }
    case 'leave_open': {
      const ref = pickFrom(kept.refs, operation.pick)
      if (ref === undefined) return 'none'
      return (await deferResult(trx, ref)) ? 'left_open' : 'finished_before'
    }
    case 'finish': {
      const ref = pickFrom(kept.refs, operation.pick)
      if (ref === undefined) return 'none'
      const ended = await finishValidation(trx, ref, { conclusive: operation.definite, result: {} })
      if (operation.rollBack && ended.kind !== 'finished_before') throw new RolledBack('rolled_back')
      return ended.kind
    }
    case 'collect': {
      const ref = pickFrom(kept.refs, operation.pick)
      if (ref === undefined) return 'none'
      return (await collectResult(trx, accountId, ref.id)) === undefined ? 'nothing' : 'collected'
    }
    case 'reserve': {
      const id = randomUUID()
      const posting = await postCredits(trx, { ...operation, subject: id })
      if (posting.kind === 'posted') kept.jobs.push({ id, left: operation.credits, batches: 0 })
      return posting.kind
    }
    case 'settle':
      return settle(trx, pickFrom(kept.jobs, operation.pick), operation)
    case 'release':
      return release(trx, pickFrom(kept.jobs, operation.pick))
  }
}

type Group = Kept['groups'][number]
type Job = Kept['jobs'][number]

function openGroup(trx: Trx, accountId: string, { group, ids }: Group) {
  // Each row has its own address, so that collecting by address finds exactly this row.
  const rows = ids.map((id) => ({ id, email: id, emailKey: id }))
  return openValidations(trx, { accountId, keyId: null, retentionDays: 30, group }, rows)
}

async function open(trx: Trx, accountId: string, kept: Kept, { rows, rollBack }: { rows: number; rollBack: boolean }) {
  const group = { group: randomUUID(), ids: Array.from({ length: rows }, () => randomUUID()) }
  const opened = await openGroup(trx, accountId, group)
  if (opened.kind === 'refused') throw new RolledBack('refused')
  if (rollBack) throw new RolledBack('rolled_back')
  if (opened.kind === 'opened') {
    const byId = new Map(opened.refs.map((ref) => [ref.id, ref]))
    kept.refs.push(...group.ids.map((id) => byId.get(id) as ValidationRef))
    kept.groups.push(group)
  }
  return opened.kind
}

async function settle(trx: Trx, job: Job | undefined, batch: { credits: number; unknown: number; twice: boolean }) {
  const credits = Math.min(batch.credits, job?.left ?? 0)
  if (job === undefined || credits === 0) return 'none'
  job.left -= credits
  job.batches += 1
  const movement = { subject: job.id, part: job.batches }
  const refunded = Math.min(batch.unknown, credits)
  let outcome = ''
  for (let times = batch.twice ? 2 : 1; times > 0; times--) {
    outcome = (await postCredits(trx, { kind: 'settle', credits, ...movement })).kind
    if (refunded > 0) await postCredits(trx, { kind: 'refund', credits: refunded, ...movement })
  }
  return outcome
}

async function release(trx: Trx, job: Job | undefined): Promise<string> {
  if (job === undefined || job.left === 0) return 'none'
  const posting = await postCredits(trx, { kind: 'release', credits: job.left, subject: job.id })
  job.left = 0
  return posting.kind
}
