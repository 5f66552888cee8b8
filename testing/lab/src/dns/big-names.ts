import { ZONES } from './data/zones.ts'
import type { Names, Zones } from './zone-file.ts'

/**
 * Names with more records than anybody needs. A DNS message ends at 65,535 bytes (RFC 1035 §4.2.2): what is called `many` or
 * `long` just fits, over TCP; the sets called `too-…` fit into no message at all.
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

/** The names of the lab and these. NSD reads them for half a second, so they are there only for who asks about them. */
export function withBigNames(): Zones {
  return { ...ZONES, names: { ...ZONES.names, ...bigNames() } }
}

/** `hop0.far-alias.example` leads to a mail host by way of all others; the last ones are close enough to get there. */
function aliasChain(hops: number): Names {
  const aliases = Array.from({ length: hops }, (_, n) => [
    `hop${n}.far-alias.example`,
    { cname: n === hops - 1 ? 'two-mx.example' : `hop${n + 1}.far-alias.example` },
  ])
  return Object.fromEntries(aliases)
}

/** The best ones stand last, so that taking the first is not taking the best. */
function manyMx(count: number): [number, string][] {
  return Array.from({ length: count }, (_, n) => [count - n, `m${n}.two-mx.example`])
}

function manyTexts(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${n} `.padEnd(255, 'x'))
}
