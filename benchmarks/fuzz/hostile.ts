import fc from 'fast-check'

/** Texts that parsers, databases and file systems are known to fail on. */
const TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'a\udfffb',
  '\u202eabc',
  'e\u0301',
  'İ',
  'ﬃ@ﬃ.example',
  'x'.repeat(101),
  'x'.repeat(256),
  'x'.repeat(1_025),
  'x'.repeat(3_500),
  `${'ü'.repeat(63)}@${'ü.'.repeat(120)}example`,
  '%00',
  '%ff%fe',
  "'; select pg_sleep(9); --",
  '../../../etc/passwd',
  '..\\..\\x',
  '//example.com/',
  `${'/'.repeat(3_000)}a/`,
  `${'./'.repeat(1_500)}a`,
  '☃/',
  'a\r\nb/',
  '\x7f/',
  '__proto__',
  'constructor',
  'toString',
  'NaN',
  'Infinity',
  '-infinity',
  '1e400',
  '99999999999999999999',
  '-1',
  '0x10',
  '0000-00-00',
  '2026-02-30',
  '294277-01-01',
  '00000000-0000-0000-0000-000000000000',
  '0198f2c9-1c44-7d03-b7a5-2f6f4e8d9a10',
  'http://[::1',
  'https://127.0.0.1/',
  '{{7*7}}',
  '=1+1',
  'a,b\r\nSet-Cookie: x=y',
  '٣',
  '1.1.1.1/0',
  'fe80::/129',
]

const NUMBERS = [-1, 0, 1.5, 2 ** 31, 2 ** 32, 2 ** 53, 2 ** 63, 1e21, 1e308, -1e308, Number.MIN_VALUE]

/** An object that a careless merge would use as a prototype. JSON keeps these names, an object literal would not. */
const PROTOTYPES = ['{"__proto__":{"a":1}}', '{"constructor":{"prototype":{"a":1}}}'].map((text) => JSON.parse(text))

const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 300 }) },
)

const value = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(...NUMBERS) },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(null, true, [], {}, [[]], [null], ...PROTOTYPES) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
)

/** Changes one place of a request. `at` selects the place. */
const change = fc.record({
  part: fc.constantFrom('body', 'body', 'body', 'query', 'query', 'path', 'header'),
  at: fc.nat(),
  action: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'add', 'repeat'),
  text,
  value,
})
export type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

/** Bodies that are invalid or unusual JSON. */
const RAW_BODIES = [
  Buffer.from(''),
  Buffer.from('{'),
  Buffer.from('null'),
  Buffer.from('"text"'),
  Buffer.from('[]'),
  Buffer.from('\ufeff{}'),
  Buffer.from('{"email":"\u0000"}'),
  Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
  Buffer.from('['.repeat(2_000)),
  Buffer.from(`{"a":${'['.repeat(1_500)}${']'.repeat(1_500)}}`),
  Buffer.from('{"a":1,"a":2,"__proto__":null}'),
  Buffer.from('1e999'),
  Buffer.from('email,outcome\n"a@example.com,delivered\n'),
]

const plan = fc.record({
  picks: fc.array(fc.nat(), { minLength: 24, maxLength: 24 }),
  changes: fc.oneof(
    { weight: 4, arbitrary: fc.constant<Change[]>([]) },
    { weight: 6, arbitrary: fc.array(change, { minLength: 1, maxLength: 3 }) },
  ),
  raw: fc.oneof(
    { weight: 12, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...RAW_BODIES) },
  ),
  contentType: fc.oneof(
    { weight: 20, arbitrary: fc.constant(undefined) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'text/csv',
        'text/plain',
        'application/json; charset=utf-16',
        'multipart/form-data',
        ';',
      ),
    },
  ),
})

/** All random decisions of one request. The same seed gives the same plans. */
export type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never

export function makePlans(seed: number, count: number): Plan[] {
  return fc.sample(plan, { seed, numRuns: count })
}

type Slot = { holder: Record<string, unknown>; key: string }

/** Applies a change to one place of a JSON value, at any depth, or to all of it. */
export function changeValue(whole: unknown, { at, action, text: name, value }: Change): unknown {
  // Plans share values, and a value that is changed itself must not become a part of itself.
  const given: unknown = structuredClone(value)
  const slots = slotsIn(whole)
  const slot = slots[at % (slots.length + 1)]
  if (slot === undefined) return given
  const { holder, key } = slot
  if (action === 'remove') delete holder[key]
  else if (action === 'add') holder[name] = given
  else if (action === 'repeat') holder[key] = Array.from({ length: 8 }, () => structuredClone(holder[key]))
  else holder[key] = given
  return whole
}

function slotsIn(part: unknown): Slot[] {
  if (typeof part !== 'object' || part === null) return []
  const holder = part as Record<string, unknown>
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...slotsIn(holder[key])])
}
