/** The filters of the results, the open result and the chosen preset. */
export type ListSearch = {
  status?: string
  sub_status?: string
  provider?: string
  domain?: string
  search?: string
  skip?: number
  row?: number
  preset?: string
}

const TEXTS = ['status', 'sub_status', 'provider', 'domain', 'search', 'preset'] as const
const NUMBERS = ['skip', 'row'] as const

export function readListSearch(search: Record<string, unknown>): ListSearch {
  const texts = TEXTS.flatMap((name) => (isText(search[name]) ? [[name, String(search[name])]] : []))
  const numbers = NUMBERS.flatMap((name) => (isCount(search[name]) ? [[name, search[name]]] : []))
  return Object.fromEntries([...texts, ...numbers])
}

/** The router parses 123 and true in a URL as a number and a boolean. */
function isText(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) > 0
}
