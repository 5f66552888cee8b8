import { type Keeps, PRESETS } from './data/presets.ts'

export type PresetName = keyof typeof PRESETS
export const PRESET_NAMES = Object.keys(PRESETS) as PresetName[]

/** The verdict on a row, as it stands in the sheet; a row without an address has empty texts. */
export type RowVerdict = { status: string; reason: string; safeToSend: string }

export function isKept(preset: PresetName, { status, reason, safeToSend }: RowVerdict): boolean {
  const keeps: readonly Keeps[] = PRESETS[preset]
  return keeps.some(
    (line) =>
      line.status === status &&
      (line.reason === undefined || line.reason === reason) &&
      (line.safeToSend === undefined || safeToSend === 'true'),
  )
}
