import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { constants, zstdCompressSync } from 'node:zlib'
import { asOwner, connect, type Db } from '@probity/database/connection/connect'
import { makeFolder, removeFolder, unprivilegedUser } from '@probity/lab/services/daemon'
import { sql } from 'kysely'
import { call, type JobClient } from '../environment/jobs.ts'

/** The seconds that COPY takes for the results of a job: one full JSON row per address, and compressed chunks. */
export type CopySeconds = { copy: number; copyChunks: number }

const ROWS_PER_CHUNK = 100
const ZSTD_LEVEL = 3

/** The result of one address: the fields with their own columns, and the whole result as JSON. */
export type BareResult = { row: number; email: string; status: string; subStatus: string; text: string }

/** The results of a job, as the API exports them with their evidence. */
export async function exportResults(client: JobClient, jobId: string): Promise<BareResult[]> {
  const lines = await call(client, `/bulk/jobs/${jobId}/results?format=ndjson&evidence=true`, {})
  return lines.split('\n').slice(0, -1).map(readLine)
}

type ExportedResult = { row: number; email: string; status: string; sub_status: string; details: object }

/** Without the fields that an export repeats from `details`: a validation stores each once. */
function readLine(line: string): BareResult {
  const { row, ...exported } = JSON.parse(line) as ExportedResult
  const { email, status, sub_status: subStatus, details } = exported
  const once = Object.entries(exported).filter(([name]) => !(name in details))
  return { row, email, status, subStatus, text: JSON.stringify(Object.fromEntries(once)) }
}

/**
 * The minimum time for storing these results: COPY into a table whose only index is its primary key. Full rows are sent
 * as text. Chunks are compressed first, which counts toward their time.
 */
export async function measureCopy(databaseUrl: string, results: BareResult[]): Promise<CopySeconds> {
  const folder = makeFolder('probity-bench-copy', unprivilegedUser()) // PostgreSQL reads it as another user
  const db = connect(databaseUrl, { connectionsMax: 1 })
  try {
    const copy = await copyRows(db, join(folder, 'rows'), results)
    const copyChunks = await copyCompressed(db, join(folder, 'chunks'), results)
    return { copy, copyChunks }
  } finally {
    await db.destroy()
    removeFolder(folder)
  }
}

async function copyRows(db: Db, file: string, results: BareResult[]): Promise<number> {
  const lines = results.map(({ row, email, status, subStatus, text }) => {
    const cells = [String(row), email, status, subStatus, text].map(escapeCell)
    return `${cells.join('\t')}\n`
  })
  writeFileSync(file, lines.join(''))
  const columns = `row_no integer primary key, email text not null, status text not null, sub_status text not null, answer json not null`
  return copyInto(db, file, { name: 'bare_results', columns })
}

async function copyCompressed(db: Db, file: string, results: BareResult[]): Promise<number> {
  const began = performance.now()
  const chunks: Buffer[] = []
  for (let at = 0; at < results.length; at += ROWS_PER_CHUNK) {
    const texts = results.slice(at, at + ROWS_PER_CHUNK).map(({ text }) => text)
    chunks.push(zstdCompressSync(texts.join('\n'), { params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } }))
  }
  const compressing = (performance.now() - began) / 1_000
  writeFileSync(file, chunks.map((chunk, no) => `${no}\t\\\\x${chunk.toString('hex')}\n`).join(''))
  const columns = 'no integer primary key, results bytea not null'
  return compressing + (await copyInto(db, file, { name: 'bare_chunks', columns }))
}

/** The seconds of the COPY and its commit. */
async function copyInto(db: Db, file: string, { name, columns }: { name: string; columns: string }): Promise<number> {
  const table = sql.raw(name)
  await asOwner(db, (trx) => sql`create table ${table} (${sql.raw(columns)})`.execute(trx))
  const began = performance.now()
  await asOwner(db, (trx) => sql`copy ${table} from ${sql.lit(file)}`.execute(trx))
  const seconds = (performance.now() - began) / 1_000
  await asOwner(db, (trx) => sql`drop table ${table}`.execute(trx))
  return seconds
}

/** The text format of COPY. */
function escapeCell(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
}
