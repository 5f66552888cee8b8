import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { insertAccount } from '@probity/database/accounts/accounts'
import { insertKey } from '@probity/database/accounts/keys'
import { asOwner, connect, inTenant } from '@probity/database/connection/connect'
import { migrate } from '@probity/database/system/migrate'
import { freePort, makeFolder, removeFolder, stopChild } from '@probity/lab/services/daemon'
import { startPostgres } from '@probity/lab/services/postgres'
import { startRedis } from '@probity/lab/services/redis'
import { startProgram, untilReady } from '../environment/instance.ts'

const CELLS = 10_000
const CELLS_PER_ROW = 4
/** The delimiters that a spreadsheet may use for the file, by character code. The first is the correct one. */
const READ_AS = { comma: 44, semicolon: 59, tab: 9, bar: 124 }
const OPEN_WITHIN_MS = 300_000

/**
 * Exports cells with formula injections and opens the CSV in LibreOffice, with the correct delimiter and with wrong
 * ones. No cell may become a formula. The same export without the guard shows that LibreOffice would have created
 * formulas.
 */
export async function benchExport() {
  requirePrograms()
  const folder = makeFolder('probity-export')
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()])
  try {
    await migrate(postgres.url)
    const key = await openAccount(postgres.url)
    const port = await freePort()
    const api = startProgram('apps/api/src/server/main.ts', [], {
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      PORT: String(port),
      LOG_LEVEL: 'warn',
      STOP_NOTICE_MS: '0',
      UPLOADS_FOLDER: join(folder, 'uploads'),
    })
    try {
      const url = `http://127.0.0.1:${port}`
      await untilReady(url)
      return await measure({ url, key, folder })
    } finally {
      await stopChild(api, 'SIGTERM')
    }
  } finally {
    await Promise.all([postgres.stop(), redis.stop()])
    removeFolder(folder)
  }
}

function requirePrograms(): void {
  for (const [program, needed] of [
    ['soffice', 'libreoffice-calc'],
    ['unzip', 'unzip'],
  ] as const) {
    try {
      execFileSync('which', [program])
    } catch {
      throw new Error(`${program} is missing: apt-get install --no-install-recommends ${needed}`)
    }
  }
}

async function openAccount(url: string): Promise<string> {
  const db = connect(url, { connectionsMax: 1 })
  const account = await asOwner(db, (trx) => insertAccount(trx, { name: 'bench', plan: 'payg', unlimited: true }))
  const made = await inTenant(db, account.id, (trx) =>
    insertKey(trx, account.id, { mode: 'live', name: 'bench', scopes: ['jobs:write'] }),
  )
  await db.destroy()
  return made.text
}

type Product = { url: string; key: string; folder: string }

async function measure(product: Product) {
  const jobId = await confirmList(product)
  const guarded = await download(product, `/api/v1/bulk/jobs/${jobId}/results?format=csv&bom=true`)
  const bare = await download(product, `/api/v1/bulk/jobs/${jobId}/results?format=csv&bom=true&formula_safe=false`)
  const formulas = Object.entries(READ_AS).map(([name, character]) => {
    const found = countFormulas(product.folder, guarded, character)
    process.stderr.write(`read with ${name} as the delimiter: ${found} formulas\n`)
    return found
  })
  return {
    cells: CELLS,
    formula_cells: formulas.reduce((all, found) => all + found, 0),
    unguarded_formula_cells: countFormulas(product.folder, bare, READ_AS.comma),
  }
}

async function confirmList({ url, key }: Product): Promise<string> {
  const headers = { 'x-api-key': key }
  const form = new FormData()
  form.append('file', new Blob([hostileList()]), 'hostile.csv')
  const upload = await fetch(`${url}/api/v1/bulk/upload/preview`, { method: 'POST', headers, body: form })
  const { upload_id, suggested_email_column } = await read(upload)
  const job = await fetch(`${url}/api/v1/bulk/upload/confirm`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ upload_id, email_column: suggested_email_column }),
  })
  return (await read(job))['id'] ?? ''
}

async function read(answer: Response): Promise<Record<string, string>> {
  const text = await answer.text()
  if (!answer.ok) throw new Error(`the product answered ${answer.status}: ${text}`)
  return JSON.parse(text)
}

async function download({ url, key }: Product, path: string): Promise<string> {
  const answer = await fetch(url + path, { headers: { 'x-api-key': key } })
  if (!answer.ok) throw new Error(`the product answered ${answer.status}`)
  return answer.text()
}

// Ignored prefixes, formula characters and formulas: the cells contain every combination.
const BEFORE = [
  '',
  ' ',
  '\t',
  '\r',
  '\n',
  '\u00A0',
  '\u3000',
  '\u200B',
  '\u202E',
  '"',
  'x,',
  'x;',
  'x\t',
  'x|',
  'x\n',
  'x; ',
  'x,"',
]
const SIGNS = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '﹦', '−', '=+', '==', '+=', '-@']
const DOES = [
  '1+1',
  'SUM(1;2)',
  'HYPERLINK("http://192.0.2.1/";"x")',
  "cmd|'/c calc'!A0",
  'A1,y',
  'A1;y',
  'A1\ty',
  'A1|y',
  'NOW()',
]

function hostileList(): string {
  const cells = Array.from({ length: CELLS }, (_, n) => {
    const [before, sign, does] = [pick(BEFORE, n), pick(SIGNS, n), pick(DOES, n)]
    return `"${`${before}${sign}${does}`.replaceAll('"', '""')}"`
  })
  const rows = Array.from({ length: CELLS / CELLS_PER_ROW }, (_, n) => {
    const from = n * CELLS_PER_ROW
    return [`person${n}@example.com`, ...cells.slice(from, from + CELLS_PER_ROW)].join()
  })
  return `email,a,b,c,d\n${rows.join('\n')}\n`
}

/** The lengths of the lists are pairwise coprime, so all combinations occur. */
function pick(list: string[], n: number): string {
  return list[n % list.length] ?? ''
}

function countFormulas(folder: string, csv: string, delimiter: number): number {
  writeFileSync(join(folder, 'sheet.csv'), csv)
  const profile = `-env:UserInstallation=${pathToFileURL(join(folder, 'profile')).href}`
  // separator, quotes, UTF-8, from the first line on
  const filter = `--infilter=CSV:${delimiter},34,76,1`
  const args = [profile, '--headless', filter, '--convert-to', 'xlsx', '--outdir', folder, join(folder, 'sheet.csv')]
  execFileSync('soffice', args, { timeout: OPEN_WITHIN_MS, stdio: 'ignore' })
  const sheet = execFileSync('unzip', ['-p', join(folder, 'sheet.xlsx'), 'xl/worksheets/sheet1.xml'], {
    encoding: 'utf8',
    maxBuffer: 200_000_000,
  })
  return sheet.match(/<f[ >]/g)?.length ?? 0
}
