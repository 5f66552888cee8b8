/** Whether the policy is edited or copied. */
export type PolicySearch = { do?: 'edit' | 'copy' }

export function readPolicySearch(search: Record<string, unknown>): PolicySearch {
  const { do: wish } = search
  return wish === 'edit' || wish === 'copy' ? { do: wish } : {}
}
