import { PRESET_NAMES, type PresetName } from '@probity/contract/constants/jobs'

/** Shorter names for two of them. */
const SHORT_NAMES = { strict: 'safest', lenient: 'all_but_bounces' } as const satisfies Record<string, PresetName>

export type PresetChoice = PresetName | keyof typeof SHORT_NAMES
export const PRESET_CHOICES: PresetChoice[] = [...PRESET_NAMES, ...(Object.keys(SHORT_NAMES) as PresetChoice[])]

export function readPreset(choice: PresetChoice): PresetName {
  return choice === 'strict' || choice === 'lenient' ? SHORT_NAMES[choice] : choice
}
