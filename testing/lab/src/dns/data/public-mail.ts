import type { NameData, Names } from '../zone-file.ts'

const DATA: NameData = { mx: [[10, 'mx.public-mail.example']] }

/** Large mail domains that a worker with production settings checks its resolver with. Nothing listens at the address. */
export const PUBLIC_MAIL: Names = {
  'gmail.com': DATA,
  'outlook.com': DATA,
  'hotmail.com': DATA,
  'live.com': DATA,
  'msn.com': DATA,
  'yahoo.com': DATA,
  'icloud.com': DATA,
  'aol.com': DATA,
  'gmx.net': DATA,
  'web.de': DATA,
  'comcast.net': DATA,
  'orange.fr': DATA,
  'libero.it': DATA,
  'mx.public-mail.example': { a: ['192.0.2.30'] },
}
