/** The current upload and the chosen column, so that the page survives a reload and can be continued on another device. */
export type NewListSearch = {
  upload?: string
  column?: string
  /** Back at the column step, with a column chosen. */
  step?: 'column'
}

export function readNewListSearch({ upload, column, step }: Record<string, unknown>): NewListSearch {
  return {
    ...(typeof upload === 'string' && { upload }),
    ...(typeof column === 'string' && { column }),
    ...(step === 'column' && { step: 'column' as const }),
  }
}
