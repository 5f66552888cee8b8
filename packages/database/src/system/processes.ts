import { createSecretKey, type KeyObject } from 'node:crypto'
import { startInterval } from '@probity/concurrency/scheduling'
import { type Selectable, sql } from 'kysely'
import { type Db, type Trx, withoutTenant } from '../connection/connect.ts'
import type { Schema } from '../connection/schema.ts'

export type Process = Selectable<Schema['processes']>
export type ProcessNote = { id: string; kind: Process['kind']; version: string; facts: object }
/** Facts that change while the process runs are read for each heartbeat. */
type LivingNote = Omit<ProcessNote, 'facts'> & { facts: object | (() => object) }

/** Records a heartbeat of a process with its settings. */
export async function recordProcess(db: Db, { id, kind, version, facts }: ProcessNote): Promise<void> {
  await withoutTenant(db, (trx) =>
    sql`select record_process(${id}, ${kind}, ${version}, ${JSON.stringify(facts)}::jsonb)`.execute(trx),
  )
}

export async function forgetProcess(db: Db, id: string): Promise<void> {
  await withoutTenant(db, (trx) => sql`select delete_process(${id})`.execute(trx))
}

/** When a process of this host last sent a heartbeat. With the role of the process, whose login is all that a health check has. */
export async function findHeartbeat(db: Db, kind: 'worker' | 'maintenance', host: string): Promise<Date | undefined> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<{ seenAt: Date | null }>`select find_heartbeat(${kind}, ${host}) as seen_at`.execute(trx),
  )
  return rows[0]?.seenAt ?? undefined
}

/** Processes of the last day, the longest running first. As an operator. */
export function listProcesses(trx: Trx): Promise<Process[]> {
  return trx.selectFrom('processes').selectAll().orderBy('startedAt').orderBy('id').execute()
}

const HEARTBEAT_EVERY_MS = 10_000
/** A process that missed three heartbeats counts as stopped. The functions of the database use the same number. */
export const HEARTBEAT_TIMEOUT_S = 35

/** Sends a heartbeat now and every ten seconds. A failed heartbeat does not stop the process. */
export function startNotingProcess(db: Db, note: LivingNote, failed: (error: unknown) => void) {
  const { facts } = note
  const record = () => recordProcess(db, { ...note, facts: typeof facts === 'function' ? facts() : facts })
  const heartbeats = startInterval(HEARTBEAT_EVERY_MS, record, { onError: failed, unref: true })
  return {
    /** Sends a heartbeat now, because a fact changed. */
    runNow: () => heartbeats.runNow(),
    async stop() {
      await heartbeats.stop()
      await forgetProcess(db, note.id).catch(failed)
    },
  }
}

type SecretName = 'recent_results' | 'sessions' | 'doctor' | 'opening_grants'

/** A secret of this installation, made by the migrations. */
export async function getSecret(db: Db, name: SecretName): Promise<KeyObject> {
  const row = await withoutTenant(db, (trx) =>
    trx.selectFrom('secrets').select('value').where('name', '=', name).executeTakeFirstOrThrow(),
  )
  return createSecretKey(row.value)
}

/** The same, read from the database once; after a failure the next call reads it again. */
export function cacheSecret(db: Db, name: SecretName): () => Promise<KeyObject> {
  let known: Promise<KeyObject> | undefined
  return () => {
    known ??= getSecret(db, name).catch((error: unknown) => {
      known = undefined
      throw error
    })
    return known
  }
}
