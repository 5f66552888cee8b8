import { parseAddress, writeDomain } from './parse.ts'

/** Addresses and near-addresses of every kind, for mutation. */
const SEEDS = [
  'ada@example.com',
  'ada.lovelace+news@mail.example.co.uk',
  'A@B.CD',
  '"ada lovelace"@example.com',
  '"a\\"b\\\\c"@example.com',
  '"ada"@example.com',
  '""@example.com',
  "!#$%&'*+-/=?^_`{|}~@example.com",
  'ada@[192.0.2.1]',
  'ada@[IPv6:2001:db8::1]',
  'ada@[IPv6:::ffff:192.0.2.1]',
  'ada@[IPv6:1:2:3:4:5:6:7:8]',
  'jörg@example.com',
  'İSTANBUL@example.com',
  '😀@example.com',
  'Ada <ada@example.com>',
  '(c)ada@example.com',
  'ada @ example.com',
  'ada@example.com\r\nRCPT TO:<eve@example.com>',
  'ada@example..com',
  '.ada.@example.com.',
  'ada@localhost',
  'ada@192.0.2.1',
  'ada@ab--cd.example',
  'ada@-a-.example',
  'ada@@example.com',
  'ada',
  ' ada@example.com\t',
  'a.b.c.d@e.f.g.example',
  'customer/department=shipping@example.com',
  '"a@b"@example.com',
  '"<ada>"@example.com',
  '"\\a\\d\\a"@example.com',
  '"ada"."lovelace"@example.com',
  '"ada"lovelace@example.com',
  'ada"lovelace"@example.com',
  'ada@[IPv6:::]',
  'ada@[IPv6:2001:db8:0:0:1:0:0:1]',
  'ada@[192.0.2.1',
  'ada@[tag:content]',
  'ada@example.com, bob@example.org',
  'mailto:ada@example.com',
  'ada@example_one.com',
  'ada@gmial.con',
  'noreply@hotmial.co.uk',
  'INFO+tag@EXAMPLE.COM',
  'ÀÉÎ.õü@example.com',
  'иван@example.com',
  '用户+標籤@example.com',
  'कवि@example.com',
  '"é è"@example.com',
  'e\u0301e\u0300@example.com',
  `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`,
]

/** The same with international domains, separate because parsing them takes most of the time. */
const INTERNATIONAL_SEEDS = [
  'jo\u0308rg@bücher.example',
  'ada@xn--bcher-kva.example',
  '伊昭傑@郵件.商務',
  'ada@例え。テスト',
  'ada@مثال.إختبار',
  'ada@נסיון.example',
  'ada@नाम\u094d\u200dक.com',
  'ẞ@STRAẞE.de',
  `${'é'.repeat(32)}@${'ü'.repeat(50)}.example`,
]

/** Inserted by mutation: signs of the grammar, texts at octet limits, and confusing characters. */
const SIGNS = [...'@.@.@."\\<>()[],;: \t\r\n\0+-_=/aZ09']
const PIECES = [
  ...SIGNS,
  ...['xn--', '..', '--', '.com', '[IPv6:', ']', '::', '\r\n', '"@', '\\"', '1.2.3.4', '.xn--p1ai'],
  ...'éßẞİıſÅﬁΣςΩ字한ひカ・ـ٣۳·׳',
  ...['\u0300', '\u0338', '\u094d', '\u200b', '\u200c', '\u200d', '\u202e', '\u2028', '\u0085', '\u00ad', '\ufeff'],
  ...[
    '\ud800',
    '\udfff',
    '\ue000',
    '\uffff',
    '\u{20000}',
    '\u{e0041}',
    '\u3002',
    '\uff0e',
    '\uff61',
    '\u00a0',
    'ﷺ',
    '𝐱',
  ],
]

/** Further parts of assembled addresses. */
const SYLLABLES = ['a', 'b1', 'c', 'x-y', 'a.b', 'de', 'F', '0']
const ENDINGS = ['com', 'example', 'de', 'net', 'org', 'c-m', 'co.uk', 'рф', '1']

/** Units of long runs. */
const RUNS = [...PIECES, 'a.', '\\a', 'e\u0301', '\u0628\u200c', '\u0915\u094d\u200d', '\u05d0\u0591', 'a@', '()']

/** An endless sequence of texts, the same for the same seed: mutated addresses, assembled ones, noise, and long runs. */
export function* makeInputs(seed: number): Generator<string, never> {
  const random = makeRandom(seed)
  const pick = (list: readonly string[]) => list[random(list.length)] ?? ''
  const makers = [mutate, mutate, mutate, mutate, assemble, assemble, makeNoise, makeRun]
  for (;;) yield (makers[random(makers.length)] ?? mutate)(random, pick)
}

type Random = (below: number) => number
type Pick = (list: readonly string[]) => string

function mutate(random: Random, pick: Pick): string {
  let text = pick(random(12) === 0 ? INTERNATIONAL_SEEDS : SEEDS)
  for (let left = random(4); left >= 0; left -= 1) {
    const at = random(text.length + 1)
    const kind = random(12)
    if (kind < 2) text = text.slice(0, at) + text.slice(at + 1 + random(3))
    else if (kind < 4) text = text.slice(0, at) + pick(SEEDS).slice(random(20))
    else if (kind < 6) text = text.slice(0, at) + text.slice(Math.max(0, at - random(9)))
    else if (kind === 6) text = text.slice(0, at) + String.fromCharCode(random(0x10000)) + text.slice(at + 1)
    else text = text.slice(0, at) + pick(kind < 9 ? SIGNS : PIECES) + text.slice(at + random(2))
  }
  return text
}

function assemble(random: Random, pick: Pick): string {
  return `${join(random, pick, 3)}@${join(random, pick, 9)}.${pick(ENDINGS)}`
}

/** A few syllables, with an occasional other part. */
function join(random: Random, pick: Pick, oneIn: number): string {
  let text = ''
  for (let left = random(6); left >= 0; left -= 1) text += pick(random(oneIn) === 0 ? PIECES : SYLLABLES)
  return text
}

function makeNoise(random: Random): string {
  let text = ''
  const planes = random(4) === 0 ? 0x110000 : 0x3000
  for (let left = random(40); left > 0; left -= 1) text += random(8) === 0 ? '@' : String.fromCodePoint(random(planes))
  return text
}

function makeRun(random: Random, pick: Pick): string {
  // Long texts take most of the time, and few are enough for every long run.
  const length = random(20) === 0 ? random(1200) : random(80)
  const piece = pick(RUNS)
  const run = piece.repeat(Math.ceil(length / piece.length))
  return pick(['', 'a@', '"', 'a@[', 'a@xn--', 'a@א.']) + run + pick(['', '@b.example', '.example', '"@b.example', ']'])
}

/** Marsaglia's xorshift: sufficient for tests, and the same on every machine. */
function makeRandom(seed: number): Random {
  let state = seed | 1
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

/** The parse result of a text, for tables: the address as it is sent, or the reason why it is malformed. */
export function outcomeOf(text: string): string {
  const address = parseAddress(text)
  return address.kind === 'malformed' ? address.reason : `${address.local}@${writeDomain(address.domain)}`
}
