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
  saveFile(new Blob([body], { type }), name)
  return name
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

const REMEMBERED = 'probity.download'

/** The form of downloaded sheets. */
export type FileForm = {
  format: 'csv' | 'xlsx'
  /** Whether a CSV starts with a byte order mark; undefined: as the uploaded file. */
  bom?: boolean | undefined
}

/** The form that the browser remembers, or else that of the uploaded file. */
export function readFileForm(filename: string): FileForm {
  const { format = /\.xlsx$/i.test(filename) ? 'xlsx' : 'csv', bom } = readRemembered()
  return { format, bom }
}

/** Remembers what the user has chosen, and nothing else. */
export function rememberFileForm(chosen: Partial<FileForm>): void {
  localStorage.setItem(REMEMBERED, JSON.stringify({ ...readRemembered(), ...chosen }))
}

function readRemembered(): Partial<FileForm> {
  try {
    const { format, bom }: { format?: unknown; bom?: unknown } = JSON.parse(localStorage.getItem(REMEMBERED) ?? '{}')
    return {
      ...((format === 'csv' || format === 'xlsx') && { format }),
      ...(typeof bom === 'boolean' && { bom }),
    }
  } catch {
    return {} // written by another version
  }
}

/** A sheet in this form. */
export function sheetOf({ format, bom }: FileForm): Wanted {
  if (format === 'xlsx') return { format }
  return { format, ...(bom === undefined ? { keepBom: true } : { bom }) }
}

/** The addresses that a preset keeps or removes. The keep file is for an import elsewhere, so it has only the columns of the customer. */
export function planSheet(filename: string, preset: string, part: 'keep' | 'remove'): Wanted {
  const sheet = sheetOf(readFileForm(filename))
  return { ...sheet, preset, part, unique: true, ...(part === 'keep' && { ownColumns: true }) }
}

/** The rows of the file that were not validated, with the reasons. */
export function leftOutSheet(filename: string): Wanted {
  return { ...sheetOf(readFileForm(filename)), part: 'left_out' }
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
