/** A large provider whose mail hosts are asked for a greeting, to see whether mail servers can be reached from here at all. */
export type Landmark = {
  /** Its id in the table of providers. */
  provider: string
  /** Whose MX records lead to its mail hosts. */
  domain: string
  /** What its hosts call themselves when greeted, where that is not the domain of their MX names. */
  speaksAs: string[]
  why: string
}

/**
 * Several, run by different companies in different networks: one of them may have a bad day or keep our address out, all of them
 * at once hardly. They greet strangers all day, so that five greetings an hour are nothing to them.
 */
export const LANDMARKS: Landmark[] = [
  {
    provider: 'google',
    domain: 'gmail.com',
    speaksAs: ['google.com'],
    why: 'The largest of all. Greets every address, and says what it thinks of it only later.',
  },
  {
    provider: 'microsoft',
    domain: 'outlook.com',
    speaksAs: ['outlook.com'],
    why: 'The second largest. Turns addresses with a bad name away at MAIL, so that its greeting is about the way and not about us.',
  },
  {
    provider: 'yahoo',
    domain: 'yahoo.com',
    speaksAs: ['yahoo.com', 'yahoodns.net'],
    why: 'A third network. Its hosts have names under yahoodns.net and greet as yahoo.com.',
  },
  {
    provider: 'gmx',
    domain: 'gmx.net',
    speaksAs: ['gmx.net'],
    why: 'In Europe, so that a fault of the way across the sea is told from a closed port. Turns some networks away with its greeting.',
  },
  {
    provider: 'fastmail',
    domain: 'fastmail.com',
    speaksAs: ['messagingengine.com'],
    why: 'Small enough to be in nobody’s exceptions: a network that lets mail through to giants alone shows here.',
  },
]
