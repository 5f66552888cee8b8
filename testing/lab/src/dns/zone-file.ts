/** What a name holds. Names are written without their last dot, in the form of a zone file (RFC 1035 §5.1: `\013` is a byte). */
export type NameData = {
  mx?: [preference: number, exchange: string][]
  a?: string[]
  aaaa?: string[]
  /** A text in parts is stored as those parts; one text is cut where DNS demands it. */
  txt?: (string | string[])[]
  cname?: string
  /** The name of an address, for names below in-addr.arpa and ip6.arpa. */
  ptr?: string[]
}

/** The lab's whole internet is one root zone, so whatever is not in this table does not exist. */
export type Names = Record<string, NameData>

/**
 * How the servers of a zone fail: they say so (`servfail`), our own resolver refuses (`refused`), they take the question and
 * never answer (`silent`), or nobody listens there (`unreachable`).
 */
export type ZoneFault = 'servfail' | 'refused' | 'silent' | 'unreachable'

export type Zones = { names: Names; faults: Record<string, ZoneFault> }

/** RFC 1035 §3.3: a character-string has one length octet. */
const STRING_LENGTH_MAX = 255

/** Short, so that a cache in front forgets soon; the last number is how long "there is none" may be kept (RFC 2308 §4). */
const TTL_S = 60

export function writeZone(names: Names, serial: number): string {
  const head = [
    `$TTL ${TTL_S}`,
    `. IN SOA ns.lab.example. hostmaster.lab.example. ${serial} 3600 600 86400 ${TTL_S}`,
    '. IN NS ns.lab.example.',
    'ns.lab.example. IN A 127.0.0.1',
  ]
  const records = Object.entries(names).flatMap(([name, data]) =>
    listRecords(data).map((record) => `${absolute(name)} IN ${record}`),
  )
  return `${[...head, ...records].join('\n')}\n`
}

function listRecords({ mx = [], a = [], aaaa = [], txt = [], cname, ptr = [] }: NameData): string[] {
  return [
    ...mx.map(([preference, exchange]) => `MX ${preference} ${absolute(exchange)}`),
    ...a.map((address) => `A ${address}`),
    ...aaaa.map((address) => `AAAA ${address}`),
    ...txt.map((text) => `TXT ${(typeof text === 'string' ? cut(text) : text).map(quote).join(' ')}`),
    ...ptr.map((name) => `PTR ${absolute(name)}`),
    ...(cname === undefined ? [] : [`CNAME ${absolute(cname)}`]),
  ]
}

function absolute(name: string): string {
  return name.endsWith('.') ? name : `${name}.`
}

function cut(text: string): string[] {
  const parts = Math.max(1, Math.ceil(text.length / STRING_LENGTH_MAX))
  return Array.from({ length: parts }, (_, n) => text.slice(n * STRING_LENGTH_MAX, (n + 1) * STRING_LENGTH_MAX))
}

function quote(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
