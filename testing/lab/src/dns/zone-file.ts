/** The records of a name. Names have no trailing dot and use zone file syntax (RFC 1035 §5.1: `\013` is a byte). */
export type NameData = {
  mx?: [preference: number, exchange: string][]
  a?: string[]
  aaaa?: string[]
  /** A text given in parts is stored in these parts; a single text is split where DNS requires it. */
  txt?: (string | string[])[]
  cname?: string
  /** The reverse name of an IP address, below in-addr.arpa or ip6.arpa. */
  ptr?: string[]
}

/** The lab has a single root zone, so any name outside this table does not exist. */
export type Names = Record<string, NameData>

/**
 * How the servers of a zone fail: they return SERVFAIL (`servfail`), our resolver returns REFUSED (`refused`), they
 * accept queries and never reply (`silent`), or no server listens (`unreachable`).
 */
export type ZoneFault = 'servfail' | 'refused' | 'silent' | 'unreachable'

export type Zones = { names: Names; faults: Record<string, ZoneFault> }

/** RFC 1035 §3.3: a character-string has one length octet. */
const STRING_LENGTH_MAX = 255

/** Short TTLs, so that caches expire soon; the last number is the TTL of negative responses (RFC 2308 §4). */
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
