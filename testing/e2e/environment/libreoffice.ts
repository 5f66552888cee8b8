import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const OPENS_WITHIN_MS = 60_000
/** Comma, double quotes, UTF-8, from the first line on; cells as shown, and the values of formulas. */
const FILTER = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false'

/** Opens a workbook in LibreOffice. Returns its first sheet as CSV. A formula is replaced by its value, as a user would see it. */
export async function readInLibreOffice(path: string, folder: string): Promise<string> {
  const profile = `-env:UserInstallation=${pathToFileURL(join(folder, 'profile')).href}`
  const options = [profile, '--headless', '--convert-to', FILTER, '--outdir', folder, path]
  await promisify(execFile)('soffice', options, { timeout: OPENS_WITHIN_MS })
  return readFile(join(folder, `${basename(path, '.xlsx')}.csv`), 'utf8')
}
