import { cleanText } from '@probity/engine/smtp/replies/reply-text'
import type { RecipientRecord } from '@probity/lab/simulation/recipient-record'
import type { Judged } from './matrix.ts'

/**
 * Results whose evidence about the recipient quotes a reply that no server gave to this very recipient, or the reply to a control recipient.
 * The simulation recorded all replies to each address.
 */
export function findForeignEvidence(judged: Judged[], { replies }: RecipientRecord): Judged[] {
  return judged.filter(({ email, answer: { quotes = [] } }) => {
    const given = new Set((replies[email] ?? []).map((reply) => keyOfReply(reply, email)))
    return quotes.some(({ reply, isControl }) => isControl || !given.has(keyOfQuote(reply)))
  })
}

/** The code and the letters: a quote has the codes of a reply once, and none of its line ends. */
function keyOfReply(reply: string, email: string): string {
  const lines = reply.split('\r\n').map((line) => line.slice(4))
  return `${reply.slice(0, 3)} ${lettersOf(cleanText(lines.join(' '), email))}`
}

function keyOfQuote(quote: string): string {
  return `${quote.slice(0, 3)} ${lettersOf(quote.slice(3))}`
}

function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}]/gu, '')
}
