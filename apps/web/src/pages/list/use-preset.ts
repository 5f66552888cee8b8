import { useAskedPreset, useTurn } from './use-list-search.ts'

type Plan = { word: string; about: string }

export const PLANS: Record<string, Plan> = {
  safest: { word: 'Safest', about: 'Only addresses whose mailbox exists and belongs to a person.' },
  balanced: {
    word: 'Balanced',
    about: 'Valid addresses, domains that accept everything, and providers that tell nobody.',
  },
  all_but_bounces: { word: 'All but bounces', about: 'Everything except what will certainly come back.' },
}

const DEFAULT = 'balanced'

export function planWord(preset: string): string {
  return PLANS[preset]?.word ?? preset.replaceAll('_', ' ')
}

/** The plan that is looked at. It stands in the address, so that a colleague sees the same. */
export function usePreset() {
  const turn = useTurn()
  const asked = useAskedPreset()
  const preset = asked !== undefined && asked in PLANS ? asked : DEFAULT
  const choose = (next: string) => turn((now) => ({ ...now, preset: next }), { replace: true })
  return { preset, word: planWord(preset), choose }
}
