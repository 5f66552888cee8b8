import type { Page } from 'playwright-core'

export type DroppedFile = { name: string; content: string | number[] }

/** Drops files on the page as from a folder: browsers do it with the very events that this sends. */
export async function dropFiles(page: Page, files: DroppedFile[]): Promise<void> {
  await page.evaluate((dropped) => {
    const dataTransfer = new DataTransfer()
    for (const { name, content } of dropped) {
      dataTransfer.items.add(new File([typeof content === 'string' ? content : new Uint8Array(content)], name))
    }
    const target = document.querySelector('main') ?? document.body
    for (const type of ['dragenter', 'dragover', 'drop']) {
      target.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }))
    }
  }, files)
}

/** The cells of a CSV as RFC 4180 has them. */
export function readCells(csv: string): string[][] {
  const rows: string[][] = [[]]
  const cells = csv.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n|\n|$)/g)
  for (const [whole, cell = '', end] of cells) {
    if (whole === '' && rows.at(-1)?.length === 0) break
    rows.at(-1)?.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell)
    if (end === '') break
    if (end !== ',') rows.push([])
  }
  return rows.filter((row) => row.length > 0)
}
