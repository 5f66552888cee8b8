const GOALS = ['sign-ups', 'list', 'look'] as const
export type Goal = (typeof GOALS)[number]

/** The goal of the user. It changes only the order of the cards. */
type QuickStartSearch = { goal?: Goal | undefined }

export function readQuickStartSearch({ goal }: Record<string, unknown>): QuickStartSearch {
  const known = GOALS.find((one) => one === goal)
  return known ? { goal: known } : {}
}
