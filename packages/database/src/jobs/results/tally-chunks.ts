import type { Trx } from '../../connection/connect.ts'
import { type ChunkSet, readIndexes } from './chunk-store.ts'
import { type Chunk, decodeIndex } from './result-chunk.ts'
import { openTallyCounter, type Tallies } from './result-tallies.ts'

/** A chunk that replaces the stored one with its number. */
export type RewrittenChunk = Chunk & { no: number }

/** The breakdown of chunks, some of which are rewritten. */
export async function tallyChunks(trx: Trx, set: ChunkSet, rewritten: RewrittenChunk[] = []): Promise<Tallies> {
  const byNo = new Map(rewritten.map((chunk) => [chunk.no, chunk]))
  const counter = openTallyCounter()
  for await (const group of readIndexes(trx, set)) {
    for (const stored of group) counter.add(decodeIndex({ ...stored, ...byNo.get(stored.no) }))
  }
  return counter.tallies()
}
