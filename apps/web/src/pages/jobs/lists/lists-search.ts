export type ListsSearch = { skip?: number; status?: string; search?: string }

export function readListsSearch({ skip, status, search }: Record<string, unknown>): ListsSearch {
  return {
    ...(Number.isInteger(skip) && (skip as number) > 0 && { skip: skip as number }),
    ...(isText(status) && { status }),
    ...(isText(search) && { search }),
  }
}

/** The service rejects empty filters. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
