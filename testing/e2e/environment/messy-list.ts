/** A row of the list, and what is to become of the values in its cell. Addresses of the sandbox say their verdict in their tag. */
export type MessyRow = {
  /** The email cell; undefined for a blank line. */
  cell: string | undefined
  keep?: string[]
  remove?: string[]
  /** Values that repeat an address of an earlier row. */
  repeats?: number
  /** Values that are not validated. An empty cell is an empty value. */
  leftOut?: string[]
}

const plain = (email: string): MessyRow => ({ cell: email, keep: [email] })
const gone = (name: string): MessyRow => {
  const email = `${name}+mailbox-not-found@example.com`
  return { cell: email, remove: [email] }
}
/** A cell that is read as this address. */
const as = (email: string, cell: string): MessyRow => ({ cell, keep: [email] })
const leftOut = (cell: string): MessyRow => ({ cell, leftOut: [cell] })
const repeat = (cell: string): MessyRow => ({ cell, repeats: 1 })
const BLANK: MessyRow = { cell: undefined }

const NAMES = ['ada', 'bea', 'carl', 'dora', 'emil', 'finn', 'gita', 'hugo', 'iris', 'jan', 'kira', 'lena']

/** Lines of every kind, all in Windows-1252. */
const ROWS: MessyRow[] = [
  ...NAMES.map((name) => plain(`${name}+valid@example.com`)),
  ...['lost', 'left', 'moved', 'closed', 'away', 'former'].map(gone),
  BLANK,
  // Several addresses in a cell.
  { cell: 'mia+valid@example.com; noor+valid@example.org', keep: ['mia+valid@example.com', 'noor+valid@example.org'] },
  {
    cell: 'otto+valid@example.com\ngone+mailbox-not-found@example.org',
    keep: ['otto+valid@example.com'],
    remove: ['gone+mailbox-not-found@example.org'],
  },
  {
    cell: 'Pia <pia+valid@example.com>, quin+valid@example.com, ADA+valid@example.com',
    keep: ['pia+valid@example.com', 'quin+valid@example.com'],
    repeats: 1,
  },
  { cell: 'rosa+valid@example.com; sam.@example.com', keep: ['rosa+valid@example.com'], leftOut: ['sam.@example.com'] },
  BLANK,
  // What a machine can repair.
  as('tara+valid@example.com', 'tara+valid @ example.com'),
  as('udo+valid@example.com', 'udo+valid(at)example.com'),
  as('vera+valid@example.com', 'vera+valid@example,com'),
  as('wim+valid@example.com', 'wim+valid@exam\u00adple.com'),
  as('xenia+valid@example.com', 'xenia+valid\u00a0@\u00a0example.com'),
  as('yara+valid@example.com', 'yara+valid [at] example [dot] com'),
  BLANK,
  // Mistyped domains, which are corrected by consent. The last one is then a duplicate.
  as('zoe+valid@gmail.com', 'zoe+valid@gmial.com'),
  as('Abel <abel+valid@hotmail.com>', 'Abel <abel+valid@hotmial.com>'),
  as('britt+valid@yahoo.com', 'britt+valid@yaho.com'),
  repeat('zoe+valid@gmail.con'),
  // Malformed, and no address at all.
  leftOut('celia.@example.com'),
  leftOut('dirk@-example-.com'),
  leftOut('n/a'),
  leftOut('no email'),
  leftOut('?'),
  leftOut(''),
  leftOut(''),
  BLANK,
  // Names and other text around addresses.
  as('juergen+valid@example.com', '"Müller, Jürgen" <juergen+valid@example.com>'),
  as('leo+valid@example.com', 'mailto:leo+valid@example.com'),
  as('mei+valid@example.com', 'Mei (office) <mei+valid@example.com>'),
  repeat('BEA+valid@example.com'),
  repeat('Carl <carl+valid@example.com>'),
  repeat('mia+valid@example.com'),
  gone('last'),
]

/** What Windows-1252 cannot write. */
const UNICODE_ROWS: MessyRow[] = [
  as('nils+valid@example.com', 'nils+valid@exam\u200bple.com'),
  as('oda+valid@example.com', 'oda+valid\uff20example.com'),
]

/** The lines above the first row: titles, a blank line and the header. */
export const TITLES = [['Contacts export 2026'], [], ['as of 2 November, internal'], ['Name', 'E-mail', 'City']]
export const HEADER_ROW = TITLES.length

const CITIES = ['Málaga', 'Köln', 'Besançon', 'Østerbro']

export type MessyList = {
  rows: MessyRow[]
  /** The lines of the file. */
  cells: string[][]
}

export function createMessyList({ isUnicode }: { isUnicode: boolean }): MessyList {
  const rows = isUnicode ? [...ROWS, ...UNICODE_ROWS] : ROWS
  const cells = rows.map(({ cell }, n) => (cell === undefined ? [] : [`Person ${n + 1}`, cell, CITIES[n % 4] ?? '']))
  return { rows, cells: [...TITLES, ...cells] }
}

export function writeWindows1252(cells: string[][]): Buffer {
  const quote = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  // ISO 8859-1 has the same letters.
  return Buffer.from(cells.map((row) => `${row.map(quote).join(',')}\r\n`).join(''), 'latin1')
}
