import {
  type OverrideAction,
  overrideTargets,
  resolveOverride,
  withOverride,
} from '@probity/contract/constants/policies'
import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { sql } from 'kysely'
import { findOverrides, hasOverrides } from '../accounts/overrides.ts'
import { type Db, inTenant, type Trx } from '../connection/connect.ts'
import type { ClaimedBatch } from './batches.ts'
import { emitJobEvent } from './job-control.ts'
import { insertBatches, type NewBatch } from './planning.ts'
import { type Chunk, type ChunkRow, chunkRow, encodeChunk } from './results/result-chunk.ts'

export type FinalRow = { rowNo: number; email: string; result: StoredResult }

/** Addresses of a batch that are deferred: they continue as a batch of their own. */
export type LaterRows = Required<Omit<NewBatch, 'no' | 'site' | 'siteMax' | 'suspect' | 'claim'>>

export type BatchSettlement = {
  final: FinalRow[]
  later: LaterRows[]
  /** The addresses that the worker still processes, see `restOf`. */
  rest?: ClaimedBatch
}

/** The addresses of a batch that continue as a batch of their own, claimed by the same worker. A batch has at most one rest. */
export function restOf(batch: ClaimedBatch, rows: { rowNos: number[]; emails: string[] }): ClaimedBatch {
  return { ...batch, ...rows, no: -1 - batch.no, epoch: 1 }
}

/** A claimed batch and what to store of it. */
export type ProcessedBatch = { batch: ClaimedBatch; settlement: BatchSettlement }

/** The key of an address: equal for spellings of the same address, and the target of overrides. */
type KeyOf = (email: string) => string

/**
 * Settles batches of one job in one transaction: stores their results, charges exactly what it stores, and queues deferred addresses again.
 * A batch that was processed twice is charged once. Returns one outcome per batch. `lost` means that the batch was claimed again, that
 * its job has ended or that its account is on hold: then nothing of it is stored.
 */
export async function settleBatches(db: Db, group: ProcessedBatch[], keyOf: KeyOf): Promise<('settled' | 'lost')[]> {
  const [first] = group
  if (first === undefined) return []
  const { accountId } = first.batch
  try {
    const settled = await inTenant(db, accountId, async (trx) => {
      const chunks = await encode(trx, accountId, group, keyOf)
      return settle(trx, group, chunks)
    })
    return group.map((processed) => (settled.has(processed) ? 'settled' : 'lost'))
  } catch (error) {
    if (error instanceof Lost) return group.map(() => 'lost')
    throw error
  }
}

export async function settleBatch(
  db: Db,
  batch: ClaimedBatch,
  settlement: BatchSettlement,
  keyOf: KeyOf = (email) => email,
): Promise<'settled' | 'lost'> {
  const [outcome = 'lost'] = await settleBatches(db, [{ batch, settlement }], keyOf)
  return outcome
}

/** Rolls the transaction back. */
class Lost extends Error {}

/** The chunk of each batch, with the overrides of this moment; undefined for a batch without results. No lock is held meanwhile. */
async function encode(
  trx: Trx,
  accountId: string,
  group: ProcessedBatch[],
  keyOf: KeyOf,
): Promise<(Chunk | undefined)[]> {
  const final = group.map(({ settlement }) => settlement.final)
  const overridden = await findOverridden(trx, accountId, final.flat(), keyOf)
  const rows = final.map((some) => some.map((row) => asChunkRow(row, overridden?.(row) ?? null)))
  return Promise.all(rows.map((some) => (some.length === 0 ? undefined : encodeChunk(some))))
}

/** Returns a function that finds the override of a row. Most accounts have none, and then no key is computed. */
async function findOverridden(
  trx: Trx,
  accountId: string,
  final: FinalRow[],
  keyOf: KeyOf,
): Promise<((row: FinalRow) => OverrideAction | null) | undefined> {
  if (!(await hasOverrides(trx, accountId))) return undefined
  const keys = new Map(final.map((row) => [row, keyOf(row.email)]))
  const found = await findOverrides(trx, accountId, [...keys.values()].flatMap(overrideTargets))
  return (row) => resolveOverride(keys.get(row) ?? '', found)
}

function asChunkRow(row: FinalRow, override: OverrideAction | null): ChunkRow {
  return chunkRow(row, override ? withOverride(row.result, override) : row.result)
}

/** `settled` has positions in the group, counted from 1. */
type Settled = { outcome: 'settled' | 'lost'; settled: number[]; firstNo: number; completed: boolean }

async function settle(trx: Trx, group: ProcessedBatch[], chunks: (Chunk | undefined)[]): Promise<Set<ProcessedBatch>> {
  const { accountId, mode, jobId } = (group[0] as ProcessedBatch).batch
  const batches = group.map(({ batch }) => batch)
  const { rows } = await sql<Settled>`
    select * from settle_batches(${jobId}, ${batches.map(({ no }) => no)}::integer[], ${batches.map(({ epoch }) => epoch)}::integer[],
      ${group.map(({ settlement }) => countRows(settlement))}::integer[],
      ${group.map(({ settlement }) => settlement.later.length)}::integer[], ${chunks.map((chunk) => chunk?.size ?? 0)}::integer[],
      ${JSON.stringify(chunks.map((chunk) => chunk?.tally ?? []))}::jsonb,
      ${chunks.map((chunk) => chunk?.index.length ?? 0)}::integer[], ${chunks.map((chunk) => chunk?.results.length ?? 0)}::integer[],
      ${chunks.flatMap((chunk) => chunk?.rowNos ?? [])}::integer[],
      ${Buffer.concat(chunks.flatMap((chunk) => (chunk ? [chunk.index, chunk.results] : [])))})`.execute(trx)
  const [row] = rows
  if (row?.outcome !== 'settled') throw new Lost()
  const settled = row.settled.flatMap((position) => group[position - 1] ?? [])
  const queued = listQueued(settled, row.firstNo)
  if (queued.length > 0) await insertBatches(trx, { ...(group[0] as ProcessedBatch).batch, id: jobId }, queued)
  if (row.completed) await emitJobEvent(trx, { accountId, mode, id: jobId }, 'job.completed')
  return new Set(settled)
}

/** The addresses that are accounted for: `settle_batches` compares them with the size of the batch. */
function countRows({ final, later, rest }: BatchSettlement): number {
  const deferred = later.reduce((sum, { emails }) => sum + emails.length, 0)
  return final.length + deferred + (rest?.emails.length ?? 0)
}

/** The batches that continue what the settled ones left: deferred addresses with new numbers, and rests that their worker has claimed. */
function listQueued(group: ProcessedBatch[], firstNo: number): NewBatch[] {
  const deferred = group.flatMap(({ batch: { site, siteMax }, settlement }) =>
    settlement.later.map((some) => ({ ...some, site, siteMax })),
  )
  const rests = group.flatMap(({ settlement: { rest } }) => rest ?? [])
  return [
    ...deferred.map((some, n) => ({ ...some, no: firstNo + n })),
    ...rests.map(({ claimedBy, epoch, ...rest }) => ({ ...rest, waitMs: 0, claim: { claimedBy, epoch } })),
  ]
}
