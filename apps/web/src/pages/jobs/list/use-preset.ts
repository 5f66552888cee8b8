import { useAskedPreset, useTurn } from './use-list-search.ts'

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
  const turn = useTurn()
  const asked = useAskedPreset()
  const preset = asked !== undefined && asked in PLANS ? asked : DEFAULT
  const choose = (next: string) => turn((now) => ({ ...now, preset: next }), { replace: true })
  return { preset, word: planWord(preset), choose }
}
