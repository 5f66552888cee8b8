export const GOALS = ['sign-ups', 'list', 'look'] as const
export type Goal = (typeof GOALS)[number]

/** What somebody is here for. It changes the order of the page and nothing else. */
export type QuickStartSearch = { goal?: Goal | undefined }

export function readQuickStartSearch({ goal }: Record<string, unknown>): QuickStartSearch {
  const known = GOALS.find((one) => one === goal)
  return known ? { goal: known } : {}
}
