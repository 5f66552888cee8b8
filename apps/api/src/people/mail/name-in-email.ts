const LENGTH_MAX = 60

/**
 * A name that a user chose, as emails show it: one line of at most 60 characters without anything that mail programs turn into a link.
 * Otherwise a name could make an email of the installation advertise a stranger's page.
 */
export function nameInEmail(name: string): string {
  const plain = name
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .replace(/[a-z][a-z0-9+-]*:\/+/gi, ' ')
    .replace(/(?<=[^\s.])[.\u3002\uff0e\uff61](?=[^\s.])/gu, ' ')
    .replace(/[@<>]/g, ' ')
    .replace(/ +/g, ' ')
    .trim()
  const signs = [...plain]
  const short = signs.length > LENGTH_MAX ? `${signs.slice(0, LENGTH_MAX - 1).join('')}…` : plain
  return short === '' ? 'unnamed' : short
}
