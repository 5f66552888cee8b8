import type { DownloadOptions, Probity, RequestOptions } from '@probity/sdk'
import { saveFile } from '../../../ui/save-file.ts'

export type Wanted = Omit<DownloadOptions, keyof RequestOptions>

/**
 * Downloads a file of results and returns its name. A plain link cannot carry the account header, so the file is held in memory until
 * it is complete: 100,000 rows are some 20 MB.
 */
export async function downloadResults(
  { jobs }: Probity,
  jobId: string,
  { wanted, onBytes }: { wanted: Wanted; onBytes(bytes: number): void },
): Promise<string> {
  const { data, response } = await jobs.results.download(jobId, wanted).withResponse()
  const type = response.headers.get('content-type') ?? 'application/octet-stream'
  const body = await new Response(data.pipeThrough(countBytes(onBytes))).blob()
  const name = nameIn(response.headers.get('content-disposition')) ?? `results.${wanted.format}`
  const named = partOf(name, wanted)
  saveFile(new Blob([body], { type }), named)
  return named
}

function countBytes(onBytes: (bytes: number) => void) {
  let bytes = 0
  return new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      onBytes(bytes)
      controller.enqueue(chunk)
    },
  })
}

/** RFC 6266: the encoded name is complete; the plain one is a fallback for older clients. */
function nameIn(disposition: string | null): string | undefined {
  const [, encoded] = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? '') ?? []
  if (encoded !== undefined) return decodeURIComponent(encoded)
  const [, plain] = /filename="([^"]+)"/i.exec(disposition ?? '') ?? []
  return plain
}

/** The keep and remove files of a preset need different names. */
function partOf(name: string, { preset, part }: Wanted): string {
  if (preset === undefined) return name
  return name.replace(/(-results)?(\.\w+)$/, `-${part ?? 'keep'}-${preset.replaceAll('_', '-')}$2`)
}
