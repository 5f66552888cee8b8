import { join } from 'node:path'
import { buildImage, makeBases } from './image.ts'
import { read, tell } from './run.ts'

export const SOLO_IMAGE = 'probity-solo:check'

/** Builds the image `solo` and runs it in a network of its own, where nothing else can be reached. */
export async function runSolo(cache: string): Promise<object> {
  const began = performance.now()
  const { folders } = makeBases(cache)
  buildImage(SOLO_IMAGE, 'solo', folders)
  const buildSeconds = Math.round((performance.now() - began) / 1_000)
  const size = Number(read('podman', ['image', 'inspect', '--format', '{{.Size}}', SOLO_IMAGE]))
  return { build_seconds: buildSeconds, image_mb: Math.round(size / 1e6), ...runBuiltSolo() }
}

type SoloFigures = { solo_first_verdict_s: number; solo_restart_s: number; solo_pss_mb: number }

/** Runs an image that exists. */
export function runBuiltSolo(): SoloFigures {
  tell('runs the image solo')
  const inside = join(import.meta.dirname, 'solo-run.ts')
  const lines = read('unshare', ['--net', process.execPath, inside]).split('\n')
  return JSON.parse(lines.at(-1) ?? '{}') as SoloFigures
}
