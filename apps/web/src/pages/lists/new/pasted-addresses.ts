export type Pasted = {
  emails: string[]
  /** Lines with something in them that is no address. */
  skippedLines: number
}

/** The addresses in a text, whatever stands between them: line breaks, commas, names with the address in angle brackets. */
export function readPasted(text: string): Pasted {
  const lines = text.split(/\r\n|[\r\n]/).filter((line) => line.trim() !== '')
  const found = lines.map((line) => line.split(/[\s,;]+/).flatMap(addressIn))
  return { emails: found.flat(), skippedLines: found.filter((emails) => emails.length === 0).length }
}

/** Whether it is a good address is for the service to say: here it is enough that it could be meant as one. */
function addressIn(word: string): string[] {
  const bare = word.replace(/^[<("'[]+|[>)"'\].]+$/g, '').replace(/^mailto:/i, '')
  return bare.includes('@') ? [bare] : []
}

export function makePastedFile(emails: string[], now = new Date()): File {
  const day = now.toISOString().slice(0, 10)
  const cells = emails.map((email) => (/["]/.test(email) ? `"${email.replaceAll('"', '""')}"` : email))
  return new File([['email', ...cells, ''].join('\r\n')], `pasted-addresses-${day}.csv`, { type: 'text/csv' })
}
