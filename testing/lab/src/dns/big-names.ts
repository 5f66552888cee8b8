import { ZONES } from './data/zones.ts'
import type { Names, Zones } from './zone-file.ts'

/**
 * Names with unusually many records. A DNS message has at most 65,535 bytes (RFC 1035 §4.2.2): `many` and `long` just
 * fit, over TCP; the `too-…` sets do not fit into any message.
 */
function bigNames(): Names {
  return {
    'many-mx.example': { mx: manyMx(1_500) },
    'too-many-mx.example': { mx: manyMx(5_000) },
    ...aliasChain(100),
    'long-txt.example': { mx: [[10, 'mx1.two-mx.example']], txt: [...manyTexts(230), 'v=spf1 -all'] },
    'too-long-txt.example': { mx: [[10, 'mx1.two-mx.example']], txt: [...manyTexts(300), 'v=spf1 -all'] },
    'one-long-txt.example': { mx: [[10, 'mx1.two-mx.example']], txt: [`v=spf1 ${'ip4:192.0.2.1 '.repeat(4_000)}-all`] },
  }
}

/**
 * The names of the lab and the big names. NSD takes half a second to read them, so only tests that need them load them.
 */
export function withBigNames(): Zones {
  return { ...ZONES, names: { ...ZONES.names, ...bigNames() } }
}

/**
 * `hop0.far-alias.example` is an alias for a mail host through all other hops; the last hops are close enough to
 * resolve.
 */
function aliasChain(hops: number): Names {
  const aliases = Array.from({ length: hops }, (_, n) => [
    `hop${n}.far-alias.example`,
    { cname: n === hops - 1 ? 'two-mx.example' : `hop${n + 1}.far-alias.example` },
  ])
  return Object.fromEntries(aliases)
}

/** The best records are last, so that taking the first record is not taking the best. */
function manyMx(count: number): [number, string][] {
  return Array.from({ length: count }, (_, n) => [count - n, `m${n}.two-mx.example`])
}

function manyTexts(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${n} `.padEnd(255, 'x'))
}
