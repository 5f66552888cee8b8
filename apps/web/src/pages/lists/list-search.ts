/** Which results of a list are shown, which of them is open, and which plan is looked at. */
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

/** In an address that was typed by hand, 123 and true stand there as such. */
function isText(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) > 0
}
