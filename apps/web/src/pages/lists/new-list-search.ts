/** The upload in hand, and the column chosen: the page survives a reload, and another device can go on. */
export type NewListSearch = {
  upload?: string
  column?: string
  /** Back at the choice of the column, with one chosen. */
  step?: 'column'
}

export function readNewListSearch({ upload, column, step }: Record<string, unknown>): NewListSearch {
  return {
    ...(typeof upload === 'string' && { upload }),
    ...(typeof column === 'string' && { column }),
    ...(step === 'column' && { step: 'column' as const }),
  }
}
