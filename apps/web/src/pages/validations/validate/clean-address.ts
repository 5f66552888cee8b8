/** The address in copied text: `Ada Lovelace <ada@example.com>`, `mailto:ada@example.com`, spaces around it. */
export function cleanAddress(text: string): string {
  const [, bracketed] = /<\s*([^<>]*@[^<>]*?)\s*>/.exec(text) ?? []
  return (bracketed ?? text).trim().replace(/^mailto:/i, '')
}
