import { type ChunkSet, type ResultsPlace, readIndexes, withChunks } from './chunk-store.ts'
import type { Trx } from './connect.ts'
import { decodeIndex } from './result-chunk.ts'
import { openTallyCounter, type Tallies } from './result-tallies.ts'

/** The breakdown of a job: stored once its results are in row order, counted from its chunks before that. */
export async function tallyResults(trx: Trx, place: ResultsPlace): Promise<Tallies> {
  const { accountId, id } = place
  const breakdowns = trx.selectFrom('jobBreakdowns').select('tallies').where('accountId', '=', accountId)
  const stored = await breakdowns.where('jobId', '=', id).executeTakeFirst()
  return stored?.tallies ?? withChunks(trx, place, (set) => tallyChunks(trx, set))
}

export async function tallyChunks(trx: Trx, set: ChunkSet): Promise<Tallies> {
  const counter = openTallyCounter()
  for await (const group of readIndexes(trx, set)) {
    for (const chunk of group) counter.add(decodeIndex(chunk))
  }
  return counter.tallies()
}
