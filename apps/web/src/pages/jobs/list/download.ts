import type { DownloadOptions, Probity, RequestOptions } from '@probity/sdk'
import { useCallback, useRef, useState } from 'react'
import { asRequestFailed, type RequestFailed, saveFile } from '../../../session/client.ts'
import { useScene } from '../../../session/workspace.ts'
import { usePresetParameter, useUpdateSearch } from './SearchLink.tsx'

export type Wanted = Omit<DownloadOptions, keyof RequestOptions>

/**
 * Downloads a file of results and returns its name. A plain link cannot carry the account header, so the file is held in memory until
 * it is complete: 100,000 rows are some 20 MB.
 */
async function downloadResults(
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

export type Download =
  | { kind: 'idle' }
  | { kind: 'busy'; bytes: number }
  | { kind: 'done'; name: string }
  | { kind: 'failed'; error: RequestFailed }

const SHOW_EVERY_MS = 300

/** Runs one download at a time; a second click while it runs is ignored. */
export function useDownload(jobId: string) {
  const { probity } = useScene()
  const [download, setDownload] = useState<Download>({ kind: 'idle' })
  const isBusy = useRef(false)

  const start = useCallback(
    async (wanted: Wanted) => {
      if (isBusy.current) return
      isBusy.current = true
      setDownload({ kind: 'busy', bytes: 0 })
      let shownAt = 0
      const onBytes = (bytes: number) => {
        if (performance.now() - shownAt < SHOW_EVERY_MS) return
        shownAt = performance.now()
        setDownload({ kind: 'busy', bytes })
      }
      try {
        setDownload({ kind: 'done', name: await downloadResults(probity, jobId, { wanted, onBytes }) })
      } catch (error) {
        setDownload({ kind: 'failed', error: asRequestFailed(error) })
      } finally {
        isBusy.current = false
      }
    },
    [probity, jobId],
  )
  return { download, start }
}

type Plan = { word: string; about: string }

export const PLANS: Record<string, Plan> = {
  safest: { word: 'Safest', about: 'Only valid addresses that are safe to send.' },
  balanced: {
    word: 'Balanced',
    about: 'Valid addresses, and addresses at catch-all domains or unverifiable providers.',
  },
  all_but_bounces: { word: 'All but bounces', about: 'Everything except addresses that will certainly bounce.' },
}

const DEFAULT = 'balanced'

export function planWord(preset: string): string {
  return PLANS[preset]?.word ?? preset.replaceAll('_', ' ')
}

/** The chosen preset. It is kept in the URL, so that a link opens the same view. */
export function usePreset() {
  const turn = useUpdateSearch()
  const asked = usePresetParameter()
  const preset = asked !== undefined && asked in PLANS ? asked : DEFAULT
  const choose = (next: string) => turn((now) => ({ ...now, preset: next }), { replace: true })
  return { preset, word: planWord(preset), choose }
}
