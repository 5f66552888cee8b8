/** What is done with the policy of the page, besides looking at it. */
export type PolicySearch = { do?: 'edit' | 'copy' }

export function readPolicySearch(search: Record<string, unknown>): PolicySearch {
  const { do: wish } = search
  return wish === 'edit' || wish === 'copy' ? { do: wish } : {}
}
