import { findAddresses } from '@probity/contract/constants/text'

export type Pasted = {
  emails: string[]
  /** Lines with text that holds no address. */
  skippedLines: number
}

/** The addresses in a text, by the rule for cells of uploaded files; in addition, free text is searched for them. */
export function readPasted(text: string): Pasted {
  const lines = text.split(/\r\n|[\r\n]/).filter((line) => line.trim() !== '')
  const found = lines.map(findAddresses)
  return { emails: found.flat(), skippedLines: found.filter((emails) => emails.length === 0).length }
}

export function makePastedFile(emails: string[], now = new Date()): File {
  const day = now.toISOString().slice(0, 10)
  const cells = emails.map((email) => (/[",;|\t\r\n]/.test(email) ? `"${email.replaceAll('"', '""')}"` : email))
  return new File([['email', ...cells, ''].join('\r\n')], `pasted-addresses-${day}.csv`, { type: 'text/csv' })
}
