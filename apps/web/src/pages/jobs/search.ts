/** The parts of the page of a finished list. */
const LIST_TABS = ['overview', 'results', 'breakdown'] as const
export type ListTab = (typeof LIST_TABS)[number]

/** The open part of the page, the filters of the results, the open result and the chosen preset. */
export type ListSearch = {
  tab?: ListTab
  status?: string
  sub_status?: string
  provider?: string
  domain?: string
  search?: string
  /** A field of the results; a `-` before it reverses the order. */
  sort?: string
  limit?: number
  skip?: number
  row?: number
  /** The position of the open result in its cell; without it, the first one of the row. */
  position?: number
  preset?: string
}

/** The URL without the open result. */
export function withoutResult({ row: _, position: __, ...search }: ListSearch): ListSearch {
  return search
}

const TEXTS = ['status', 'sub_status', 'provider', 'domain', 'search', 'sort', 'preset'] as const
const NUMBERS = ['limit', 'skip', 'row', 'position'] as const

export function readListSearch(search: Record<string, unknown>): ListSearch {
  const texts = TEXTS.flatMap((name) => (isText(search[name]) ? [[name, String(search[name])]] : []))
  const numbers = NUMBERS.flatMap((name) => (isCount(search[name]) ? [[name, search[name]]] : []))
  const tab = LIST_TABS.find((one) => one === search['tab'])
  return { ...Object.fromEntries([...texts, ...numbers]), ...(tab && { tab }) }
}

const OF_RESULTS = [...TEXTS, ...NUMBERS].filter((name) => name !== 'preset')

/** A link that names a filter or a row but no tab opens the results. The mode and the account, which every page has, say nothing. */
export function openTab(search: ListSearch): ListTab {
  return search.tab ?? (OF_RESULTS.some((name) => search[name] !== undefined) ? 'results' : 'overview')
}

/** The router parses 123 and true in a URL as a number and a boolean. */
function isText(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) > 0
}

export type ListsSearch = { skip?: number; status?: string; search?: string; tag?: string }

export function readListsSearch({ skip, status, search, tag }: Record<string, unknown>): ListsSearch {
  return {
    ...(Number.isInteger(skip) && (skip as number) > 0 && { skip: skip as number }),
    ...(isFilled(status) && { status }),
    ...(isFilled(search) && { search }),
    // The router parses a tag such as 2026 as a number.
    ...(isText(tag) && String(tag) !== '' && { tag: String(tag) }),
  }
}

/** The service rejects empty filters. */
function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** The current upload and the chosen column, so that the page survives a reload and can be continued on another device. */
export type NewListSearch = {
  upload?: string
  column?: string
  /** Back at the column step, with a column chosen. */
  step?: 'column'
  /** Uploads the sample file at once, in test mode. */
  sample?: 1
  /** Validates only the first address of a cell. */
  several?: 'first'
  /** Validates malformed values, too. */
  malformed?: 'validate'
}

/** How cells are read. Without a choice no address is dropped, and no malformed value is paid for. */
export function cellsOf({ several, malformed }: Pick<NewListSearch, 'several' | 'malformed'>): Cells {
  return { severalAddresses: several ?? 'all', malformed: malformed ?? 'skip' }
}

export type Cells = { severalAddresses: 'all' | 'first'; malformed: 'skip' | 'validate' }

export function readNewListSearch(search: Record<string, unknown>): NewListSearch {
  const { upload, column, step, sample, several, malformed } = search
  return {
    ...(typeof upload === 'string' && { upload }),
    ...(typeof column === 'string' && { column }),
    ...(step === 'column' && { step: 'column' as const }),
    ...(sample === 1 && { sample: 1 as const }),
    ...(several === 'first' && { several: 'first' as const }),
    ...(malformed === 'validate' && { malformed: 'validate' as const }),
  }
}
