import { EMAIL_LENGTH_MAX } from '@probity/contract/constants/limits'
import { toASCII } from 'tr46'
import { expect, test } from 'vitest'
import { MALFORMED_REASONS } from './data/malformed-reasons.ts'
import { type Address, type MalformedReason, parseAddress } from './parse.ts'
import { outcomeOf } from './test-inputs.ts'

const A63 = 'a'.repeat(63)
const DOMAIN_253 = `${A63}.${A63}.${A63}.${'a'.repeat(61)}`

function parse(text: string): Address {
  const address = parseAddress(text)
  if (address.kind === 'malformed') throw new Error(`${text} is malformed: ${address.reason}`)
  return address
}

test('parseAddress returns every part of an address', () => {
  expect(parseAddress('  Jörg.Müller+News@BÜCHER.example\t')).toEqual({
    kind: 'address',
    text: 'Jörg.Müller+News@BÜCHER.example',
    local: 'Jörg.Müller+News',
    domain: { kind: 'name', ascii: 'xn--bcher-kva.example', unicode: 'bücher.example' },
    quoted: false,
    needsUtf8: true,
    tag: 'News',
  })
  expect(parseAddress('"a b"@[IPv6:2001:DB8::1]')).toEqual({
    kind: 'address',
    text: '"a b"@[IPv6:2001:DB8::1]',
    local: '"a b"',
    domain: { kind: 'literal', family: 6, address: '2001:db8::1' },
    quoted: true,
    needsUtf8: false,
    tag: null,
  })
})

test('parseAddress returns the reason and the position of an error', () => {
  expect(parseAddress(' a b@c.de')).toEqual({ kind: 'malformed', reason: 'folding_white_space', at: 1 })
})

/** A text, and the address as it is sent. */
const VALID: [text: string, sent: string][] = [
  // Every character of an atom, each as the whole local part.
  ...[..."!#$%&'*+-/=?^_`{|}~"].map((sign): [string, string] => [`${sign}@example.com`, `${sign}@example.com`]),
  ['a.b.c.d.e@example.com', 'a.b.c.d.e@example.com'],
  ['-a-@example.com', '-a-@example.com'],
  ['0@0.example', '0@0.example'],
  ['A@EXAMPLE.COM', 'A@example.com'],
  ['a@1.2.3.example', 'a@1.2.3.example'],
  ['a@127.0.0.1.example', 'a@127.0.0.1.example'],
  ['a@a-b.c-d.example', 'a@a-b.c-d.example'],
  ['a@a--b.example', 'a@a--b.example'],
  ['a@abc--d.example', 'a@abc--d.example'],
  ['a@example.c0m', 'a@example.c0m'],
  ['a@example.1a', 'a@example.1a'],
  ['a@x.y', 'a@x.y'],

  // Limits, each at its maximum.
  [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
  [`${'é'.repeat(32)}@example.com`, `${'é'.repeat(32)}@example.com`],
  [`${'字'.repeat(21)}a@example.com`, `${'字'.repeat(21)}a@example.com`],
  [`${'\u07ea'.repeat(32)}@example.com`, `${'\u07ea'.repeat(32)}@example.com`],
  [`${'😀'.repeat(16)}@example.com`, `${'😀'.repeat(16)}@example.com`],
  [`"${'a'.repeat(64)}"@example.com`, `${'a'.repeat(64)}@example.com`],
  [`"${'\\a'.repeat(64)}"@example.com`, `${'a'.repeat(64)}@example.com`],
  [`"${' '.repeat(62)}"@example.com`, `"${' '.repeat(62)}"@example.com`],
  [`a@${A63}.${A63}`, `a@${A63}.${A63}`],
  [`a@${DOMAIN_253.slice(0, 252)}`, `a@${DOMAIN_253.slice(0, 252)}`],
  [`${' '.repeat(1013)}a@b.example`, 'a@b.example'],

  // White space of all kinds around an address.
  [' a@b.example ', 'a@b.example'],
  ['\ta@b.example\r\n', 'a@b.example'],
  ['\u00a0a@b.example\u3000', 'a@b.example'],
  ['\ufeffa@b.example', 'a@b.example'],

  // Required quotes, unnecessary quotes, and escaping.
  ['"john"@example.com', 'john@example.com'],
  ['"john.doe"@example.com', 'john.doe@example.com'],
  ['"jo\\hn"@example.com', 'john@example.com'],
  ['"\\j\\o\\h\\n"@example.com', 'john@example.com'],
  ['"john\\+tag"@example.com', 'john+tag@example.com'],
  ['"john doe"@example.com', '"john doe"@example.com'],
  ['"john\\ doe"@example.com', '"john doe"@example.com'],
  ['".john"@example.com', '".john"@example.com'],
  ['"john."@example.com', '"john."@example.com'],
  ['"jo..hn"@example.com', '"jo..hn"@example.com'],
  ['"a@b"@example.com', '"a@b"@example.com'],
  ['"a\\@b"@example.com', '"a@b"@example.com'],
  ['"a,b"@example.com', '"a,b"@example.com'],
  ['"<a>"@example.com', '"<a>"@example.com'],
  ['"(a)"@example.com', '"(a)"@example.com'],
  ['"[a]"@example.com', '"[a]"@example.com'],
  ['"a:b;c"@example.com', '"a:b;c"@example.com'],
  ['"\\\\"@example.com', '"\\\\"@example.com'],
  ['"\\""@example.com', '"\\""@example.com'],
  ['"\\"\\\\\\""@example.com', '"\\"\\\\\\""@example.com'],
  ['" "@example.com', '" "@example.com'],
  ['""@example.com', '""@example.com'],
  ['"jörg"@example.com', 'jörg@example.com'],
  ['"jörg müller"@example.com', '"jörg müller"@example.com'],
  ['"😀"@example.com', '😀@example.com'],
  ['"😀 "@example.com', '"😀 "@example.com'],

  // UTF-8 local parts. A letter and a combining accent are sent as one character.
  ['jörg@example.com', 'jörg@example.com'],
  ['jo\u0308rg@example.com', 'jörg@example.com'],
  ['e\u0301@example.com', 'é@example.com'],
  ['\u212b@example.com', 'Å@example.com'],
  ['\u1fef@example.com', '`@example.com'],
  ['a\u2260b@example.com', 'a≠b@example.com'],
  ['a=\u0338b@example.com', 'a≠b@example.com'],
  ['квіточка@example.com', 'квіточка@example.com'],
  ['用户@example.com', '用户@example.com'],
  ['ユーザー@example.com', 'ユーザー@example.com'],
  ['사용자@example.com', '사용자@example.com'],
  ['مستخدم@example.com', 'مستخدم@example.com'],
  ['משתמש@example.com', 'משתמש@example.com'],
  ['नाम@example.com', 'नाम@example.com'],
  ['ผู้ใช้@example.com', 'ผู้ใช้@example.com'],
  ['😀@example.com', '😀@example.com'],
  ['a.😀.b@example.com', 'a.😀.b@example.com'],
  ['a\u0300\u0301@example.com', 'à\u0301@example.com'],
  ['ｗｉｄｅ@example.com', 'ｗｉｄｅ@example.com'],

  // Internationalized domains.
  ['a@münchen.de', 'a@xn--mnchen-3ya.de'],
  ['a@MÜNCHEN.DE', 'a@xn--mnchen-3ya.de'],
  ['a@mu\u0308nchen.de', 'a@xn--mnchen-3ya.de'],
  ['a@xn--mnchen-3ya.de', 'a@xn--mnchen-3ya.de'],
  ['a@XN--MNCHEN-3YA.DE', 'a@xn--mnchen-3ya.de'],
  ['a@straße.de', 'a@xn--strae-oqa.de'],
  ['a@STRAẞE.de', 'a@xn--strae-oqa.de'],
  ['a@strasse.de', 'a@strasse.de'],
  ['a@βόλος.com', 'a@xn--nxasmm1c.com'],
  ['a@例え.テスト', 'a@xn--r8jz45g.xn--zckzah'],
  ['a@例え。テスト', 'a@xn--r8jz45g.xn--zckzah'],
  ['a@例え｡テスト', 'a@xn--r8jz45g.xn--zckzah'],
  ['a@example．com', 'a@example.com'],
  ['a@ｅｘａｍｐｌｅ.com', 'a@example.com'],
  ['a@מ.קום', 'a@xn--jeb.xn--9dbq2a'],
  ['a@مثال.إختبار', 'a@xn--mgbh0fb.xn--kgbechtv'],
  ['a@क्\u200dष.com', 'a@xn--11b2ezcw70k.com'],
  ['a@نامه\u200cای.com', 'a@xn--mgba3gch31f060k.com'],
  ['a@\u{20000}.com', 'a@xn--j50i.com'],

  // Address literals.
  ['a@[0.0.0.0]', 'a@[0.0.0.0]'],
  ['a@[192.0.2.1]', 'a@[192.0.2.1]'],
  ['a@[255.255.255.255]', 'a@[255.255.255.255]'],
  ['a@[ipv6:::1]', 'a@[IPv6:::1]'],
  ['a@[IPV6:::1]', 'a@[IPv6:::1]'],
  ['a@[IPv6:1::]', 'a@[IPv6:1::]'],
  ['a@[IPv6:0:0:0:0:0:0:0:0]', 'a@[IPv6:::]'],
  ['a@[IPv6:FE80::ABCD]', 'a@[IPv6:fe80::abcd]'],
  ['a@[IPv6:1:0:0:2:0:0:0:3]', 'a@[IPv6:1:0:0:2::3]'],
  ['a@[IPv6:1:0:0:2:3:0:0:4]', 'a@[IPv6:1::2:3:0:0:4]'],
  ['a@[IPv6:1:0:2:3:4:5:6:7]', 'a@[IPv6:1:0:2:3:4:5:6:7]'],
  ['a@[IPv6:::192.0.2.1]', 'a@[IPv6:::c000:201]'],
  ['a@[IPv6:::FFFF:192.0.2.1]', 'a@[IPv6:::ffff:192.0.2.1]'],
  ['a@[IPv6:::ffff:c000:201]', 'a@[IPv6:::ffff:192.0.2.1]'],
  ['a@[IPv6:1:2:3:4:5:6:192.0.2.1]', 'a@[IPv6:1:2:3:4:5:6:c000:201]'],
  ['a@[IPv6:ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255]', 'a@[IPv6:ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]'],
]

test.each(VALID)('parseAddress accepts %j as %j', (text, sent) => {
  expect(outcomeOf(text)).toBe(sent)
  expect(outcomeOf(sent)).toBe(sent)
})

const MALFORMED: [text: string, reason: MalformedReason, at: number][] = [
  ['', 'empty', 0],
  [' \t\r\n', 'empty', 0],

  ['a', 'no_at', 1],
  ['a b', 'no_at', 3],
  ['a.example.com', 'no_at', 13],
  ['a＠b.example', 'no_at', 11],
  ['"a@b.example"', 'no_at', 13],

  [`${'a'.repeat(1025)}`, 'too_long', 0],
  [`${' '.repeat(1020)}a@b.c`, 'too_long', 0],
  [`a@${DOMAIN_253}`, 'too_long', 0],
  [`é@${DOMAIN_253.slice(0, 252)}`, 'too_long', 0],
  [`${'a'.repeat(64)}@${DOMAIN_253.slice(0, 190)}`, 'too_long', 0],

  ['@', 'local_empty', 0],
  ['@b.example', 'local_empty', 0],
  ['@@b.example', 'local_empty', 0],
  [' @b.example', 'local_empty', 0],
  [`${'a'.repeat(65)}@example.com`, 'local_too_long', 0],
  [`${'é'.repeat(33)}@example.com`, 'local_too_long', 0],
  [`${'字'.repeat(22)}@example.com`, 'local_too_long', 0],
  [`${'\u0800'.repeat(22)}@example.com`, 'local_too_long', 0],
  [`${'😀'.repeat(16)}a@example.com`, 'local_too_long', 0],
  [`"${'a'.repeat(65)}"@example.com`, 'local_too_long', 0],
  [`"${' '.repeat(63)}"@example.com`, 'local_too_long', 0],
  [`"${'\\"'.repeat(32)}"@example.com`, 'local_too_long', 0],

  ['.a@b.example', 'leading_dot', 0],
  ['.@b.example', 'leading_dot', 0],
  ['a.@b.example', 'trailing_dot', 1],
  ['a..b@c.example', 'double_dot', 2],
  ['a...b@c.example', 'double_dot', 2],
  ['a..@c.example', 'double_dot', 2],

  ['a b@c.example', 'folding_white_space', 1],
  ['a\tb@c.example', 'folding_white_space', 1],
  ['a @c.example', 'folding_white_space', 1],
  ['a@ c.example', 'folding_white_space', 2],
  ['a@c. example', 'folding_white_space', 4],
  ['a@c.example b', 'folding_white_space', 11],
  ['a@c.example, b@d.example', 'bad_character', 11],
  ['a@c.example;b@d.example', 'bad_character', 11],

  ['(c)a@b.example', 'comment', 0],
  ['a(c)@b.example', 'comment', 1],
  ['a@(c)b.example', 'comment', 2],
  ['a@b.example(c)', 'comment', 11],
  ['a)@b.example', 'bad_character', 1],
  ['a@b)c.example', 'bad_character', 3],

  ['Ann <a@b.example>', 'display_name', 4],
  ['<a@b.example>', 'display_name', 0],
  ['"Ann" <a@b.example>', 'display_name', 6],
  ['Ann<a@b.example>', 'display_name', 3],
  ['<a@b.example', 'bad_character', 0],
  ['a@b.example>', 'bad_character', 11],
  ['a@x> SIZE=9 <b@y', 'bad_character', 3],
  ['mailto:a@b.example', 'bad_character', 6],

  // Characters that would end the line of a command, in every position and spelling.
  ['a\r\nRCPT TO:<v@w.example>\r\n@b.example', 'control_character', 1],
  ['"a\r\nDATA\r\n"@b.example', 'control_character', 2],
  ['"a\\\r\\\nDATA"@b.example', 'control_character', 2],
  ['a\rb@c.example', 'control_character', 1],
  ['a\nb@c.example', 'control_character', 1],
  ['a\0b@c.example', 'control_character', 1],
  ['a\x1bb@c.example', 'control_character', 1],
  ['a\x7fb@c.example', 'control_character', 1],
  ['a\u0085b@c.example', 'control_character', 1],
  ['a@c.example\u0085', 'control_character', 11],
  ['a\u2028b@c.example', 'control_character', 1],
  ['a\u2029b@c.example', 'control_character', 1],
  ['"a\u2028b"@c.example', 'control_character', 2],
  ['"a\u0085b"@c.example', 'control_character', 2],
  ['"a\tb"@c.example', 'control_character', 2],
  ['"a\0b"@c.example', 'control_character', 2],
  ['a@b\r\n.example', 'control_character', 3],
  ['a@b\0.example', 'control_character', 3],
  ['a@b\u2028.example', 'control_character', 3],
  ['a@[192.0.2.1]\r\nQUIT', 'bad_literal', 2],

  ['a\u00adb@c.example', 'invisible_character', 1],
  ['a\u200bb@c.example', 'invisible_character', 1],
  ['a\u200cb@c.example', 'invisible_character', 1],
  ['a\u200db@c.example', 'invisible_character', 1],
  ['👩\u200d💻@c.example', 'invisible_character', 2],
  ['❤\ufe0f@c.example', 'invisible_character', 1],
  ['a\u202eb@c.example', 'invisible_character', 1],
  ['a\u2066b@c.example', 'invisible_character', 1],
  ['a\u061cb@c.example', 'invisible_character', 1],
  ['a\u3164b@c.example', 'invisible_character', 1],
  ['a\u{e0041}b@c.example', 'invisible_character', 1],
  ['a\ufeffb@c.example', 'invisible_character', 1],
  ['"a\u200bb"@c.example', 'invisible_character', 2],
  ['a@c\u00ad.example', 'invisible_character', 3],
  ['a@c\u200b.example', 'invisible_character', 3],
  ['a@c\u2060.example', 'invisible_character', 3],
  ['a@\u200b.example', 'invisible_character', 2],

  ['a\u00a0b@c.example', 'bad_character', 1],
  ['a\u3000b@c.example', 'bad_character', 1],
  ['a\ud800b@c.example', 'bad_character', 1],
  ['a\udc00b@c.example', 'bad_character', 1],
  ['a\ue000b@c.example', 'bad_character', 1],
  ['a\uffffb@c.example', 'bad_character', 1],
  ['a\u0378b@c.example', 'bad_character', 1],
  ['a@c\ud83d.example', 'bad_character', 3],
  ['a@c\u00a0d.example', 'bad_character', 3],
  ['a@c\ue000.example', 'bad_character', 3],
  ['\u0301a@c.example', 'bad_character', 0],
  ['"\u0338a"@c.example', 'bad_character', 1],
  ['\u20dda@c.example', 'bad_character', 0],
  ['a,b@c.example', 'bad_character', 1],
  ['a:b@c.example', 'bad_character', 1],
  ['a;b@c.example', 'bad_character', 1],
  ['a<b@c.example', 'bad_character', 1],
  ['a>b@c.example', 'bad_character', 1],
  ['a[b@c.example', 'bad_character', 1],
  ['a]b@c.example', 'bad_character', 1],
  ['a\\b@c.example', 'bad_character', 1],
  ['a"b@c.example', 'bad_character', 1],
  ['a.b"c"@d.example', 'bad_character', 3],
  ['a@b@c.example', 'bad_character', 3],
  ['a@b_c.example', 'bad_character', 3],
  ['a@b!c.example', 'bad_character', 3],
  ['a@b/c.example', 'bad_character', 3],
  ['a@b:25.example', 'bad_character', 3],
  ['a@b.example:25', 'bad_character', 11],
  ['a@b\\c.example', 'bad_character', 3],
  ['a@"b".example', 'bad_character', 2],
  ['a@b]', 'bad_character', 3],
  ['a@*.example', 'bad_character', 2],
  ['"\\é"@c.example', 'bad_character', 1],

  ['"a@b.example', 'unclosed_quote', 0],
  ['"a\\"@b.example', 'unclosed_quote', 0],
  ['"@b.example\\', 'unclosed_quote', 0],
  ['"a"b@c.example', 'text_after_quote', 3],
  ['"a" @c.example', 'text_after_quote', 3],
  ['"a"."b"@c.example', 'text_after_quote', 3],
  ['"a"(c)@d.example', 'text_after_quote', 3],
  ['""a@c.example', 'text_after_quote', 2],

  ['a@', 'domain_empty', 2],
  ['"a"@', 'domain_empty', 4],
  ['a@.', 'label_empty', 2],
  ['a@.b.example', 'label_empty', 2],
  ['a@b..example', 'label_empty', 4],
  ['a@b.。example', 'label_empty', 4],
  ['a@b.example.', 'trailing_dot', 11],
  ['a@b.example。', 'trailing_dot', 11],
  ['a@b.example..', 'label_empty', 12],
  [`a@${'a'.repeat(64)}.example`, 'label_too_long', 2],
  [`a@b.${'a'.repeat(64)}.example`, 'label_too_long', 4],
  [`a@b.${'a'.repeat(200)}.example`, 'label_too_long', 4],
  [`a@b.${'a'.repeat(200)}`, 'label_too_long', 4],
  [`a@${'ü'.repeat(60)}.example`, 'label_too_long', 2],
  [`a@${'ﷺ'.repeat(20)}.example`, 'bad_idna', 2],
  [`a@${'㌀'.repeat(60)}.example`, 'label_too_long', 2],
  [`a@${DOMAIN_253}a`, 'domain_too_long', 2],
  [`a@${A63}.${A63}.${A63}.${A63}.example`, 'domain_too_long', 2],
  [`a@${'ü.'.repeat(60)}example`, 'domain_too_long', 2],
  [`a@${'☕.'.repeat(300)}example`, 'domain_too_long', 2],

  ['a@-b.example', 'label_hyphen', 2],
  ['a@b-.example', 'label_hyphen', 2],
  ['a@-.example', 'label_hyphen', 2],
  ['a@b.-c.example', 'label_hyphen', 4],
  ['a@b.example-', 'label_hyphen', 4],
  ['a@ab--cd.example', 'label_hyphen', 2],
  ['a@b.ab--cd.example', 'label_hyphen', 4],

  ['a@☕.example', 'bad_idna', 2],
  ['a@i❤.ws', 'bad_idna', 2],
  ['a@xn--i-7iq.ws', 'bad_idna', 2],
  ['a@😀.example', 'bad_idna', 2],
  ['a@xn--e28h.example', 'bad_idna', 2],
  ['a@a\u20ac.example', 'bad_idna', 2],
  ['a@½a.example', 'bad_idna', 2],
  ['a@√.example', 'bad_idna', 2],
  ['a@\u0640\u0628.example', 'bad_idna', 2],
  ['a@\u1100\u1161\u11a8\u11a8.example', 'bad_idna', 2],
  ['a@\u0301b.example', 'bad_idna', 2],
  ['a@-ü.example', 'bad_idna', 2],
  ['a@ü-.example', 'bad_idna', 2],
  ['a@üb--c.example', 'bad_idna', 2],
  ['a@ü_b.example', 'bad_character', 3],
  ['a@a\u200db.example', 'bad_idna', 2],
  ['a@a\u200cb.example', 'bad_idna', 2],
  ['a@1א.example', 'bad_idna', 2],
  ['a@אa.example', 'bad_idna', 2],
  ['a@1.אב', 'bad_idna', 2],
  ['a@xn--a.example', 'bad_idna', 2],
  ['a@xn--.example', 'bad_idna', 2],
  ['a@xn--a-.example', 'bad_idna', 2],
  ['a@xn--ü.example', 'bad_idna', 2],
  ['a@xn--0000h.example', 'bad_idna', 2],
  ['a@ｘn--mnchen-3ya.de', 'bad_idna', 2],
  // Punycode of U+20000 as its two surrogates: the same character, but another name in DNS.
  ['a@xn--cd9bq2e.com', 'bad_idna', 2],
  ['a@℀.example', 'bad_idna', 2],
  ['a@a\u2024b.example', 'bad_idna', 2],

  ['a@localhost', 'single_label', 2],
  ['a@münchen', 'single_label', 2],
  ['a@b.1', 'numeric_tld', 4],
  ['a@192.0.2.1', 'numeric_tld', 10],
  ['a@b.１', 'numeric_tld', 2],
  ['a@2130706433', 'single_label', 2],

  ['a@[]', 'bad_literal', 2],
  ['a@[', 'bad_literal', 2],
  ['a@[192.0.2.1', 'bad_literal', 2],
  ['a@[192.0.2.1].', 'bad_literal', 2],
  ['a@[192.0.2.1].example', 'bad_literal', 2],
  ['a@[192.0.2]', 'bad_literal', 2],
  ['a@[192.0.2.1.1]', 'bad_literal', 2],
  ['a@[192.0.2.256]', 'bad_literal', 2],
  ['a@[192.0.2.01]', 'bad_literal', 2],
  ['a@[192.0.2.-1]', 'bad_literal', 2],
  ['a@[192.0.2.1e0]', 'bad_literal', 2],
  ['a@[0x7f.0.0.1]', 'bad_literal', 2],
  ['a@[2130706433]', 'bad_literal', 2],
  ['a@[ 192.0.2.1]', 'bad_literal', 2],
  ['a@[192.0.2.1 ]', 'bad_literal', 2],
  ['a@[192.0.2.１]', 'bad_literal', 2],
  ['a@[::1]', 'bad_literal', 2],
  ['a@[IPv6:]', 'bad_literal', 2],
  ['a@[IPv6:1]', 'bad_literal', 2],
  ['a@[IPv6::1]', 'bad_literal', 2],
  ['a@[IPv6:1:]', 'bad_literal', 2],
  ['a@[IPv6:::1:]', 'bad_literal', 2],
  ['a@[IPv6:1:2:3:4:5:6:7]', 'bad_literal', 2],
  ['a@[IPv6:1:2:3:4:5:6:7:8:9]', 'bad_literal', 2],
  ['a@[IPv6:1:2:3:4:5:6:7::]', 'bad_literal', 2],
  ['a@[IPv6:1:2:3:4:5:6:7:8::]', 'bad_literal', 2],
  ['a@[IPv6:1::2::3]', 'bad_literal', 2],
  ['a@[IPv6::::1]', 'bad_literal', 2],
  ['a@[IPv6:12345::]', 'bad_literal', 2],
  ['a@[IPv6:g::]', 'bad_literal', 2],
  ['a@[IPv6:fe80::1%eth0]', 'bad_literal', 2],
  ['a@[IPv6:1:2:3:4:5:6:7:192.0.2.1]', 'bad_literal', 2],
  ['a@[IPv6:192.0.2.1::]', 'bad_literal', 2],
  ['a@[IPv6:192.0.2.1:1::]', 'bad_literal', 2],
  ['a@[IPv6:::192.0.2.256]', 'bad_literal', 2],
  ['a@[IPv6:192.0.2.1]', 'bad_literal', 2],
  ['a@[IPv4:192.0.2.1]', 'bad_literal', 2],
  ['a@[X400:abc]', 'bad_literal', 2],
  [`a@[IPv6:${'0:'.repeat(100)}0]`, 'bad_literal', 2],
]

test.each(MALFORMED)('parseAddress rejects %j: %s at %i', (text, reason, at) => {
  expect(parseAddress(text)).toEqual({ kind: 'malformed', reason, at })
})

test('every malformed reason has a test case and a description', () => {
  const met = new Set<string>(MALFORMED.map(([, reason]) => reason))
  expect([...met].toSorted()).toEqual(Object.keys(MALFORMED_REASONS).toSorted())
  for (const meaning of Object.values(MALFORMED_REASONS)) expect(meaning).toMatch(/^[A-Z][^.]*\.$/)
})

test.each([
  ['a@example.com', null],
  ['a+b@example.com', 'b'],
  ['a+b+c@example.com', 'b+c'],
  ['a+@example.com', ''],
  ['+b@example.com', 'b'],
  ['"a+b"@example.com', 'b'],
  ['"a +b"@example.com', null],
  ['a-b@example.com', null],
])('parseAddress reads the tag of %j as %j', (text, tag) => {
  expect(parse(text).tag).toBe(tag)
})

test.each([
  ['a@example.com', false, false],
  ['é@example.com', false, true],
  ['a@é.com', false, false],
  ['"a b"@example.com', true, false],
  ['"a"@example.com', false, false],
  ['"é "@example.com', true, true],
  ['\u1fef@example.com', false, false],
])('parseAddress of %j returns quoted %j and needsUtf8 %j', (text, quoted, needsUtf8) => {
  expect(parse(text)).toMatchObject({ quoted, needsUtf8 })
})

test.each([
  ['a@example.com', 'example.com'],
  ['a@EXAMPLE.com', 'example.com'],
  ['a@xn--mnchen-3ya.de', 'münchen.de'],
  ['a@MU\u0308NCHEN.de', 'münchen.de'],
  ['a@xn--fiqq24b10vi0d.tw', '臺網中心.tw'],
  ['a@例え。テスト', '例え.テスト'],
])('parseAddress returns the display form of the domain of %j: %j', (text, unicode) => {
  expect(parse(text).domain).toMatchObject({ kind: 'name', unicode })
})

test('parseAddress rejects a text longer than the API limit without reading it', () => {
  expect(parseAddress('a'.repeat(EMAIL_LENGTH_MAX))).toMatchObject({ reason: 'no_at' })
  expect(parseAddress('a'.repeat(EMAIL_LENGTH_MAX + 1))).toMatchObject({ reason: 'too_long' })
})

test('parseAddress keeps the text except for surrounding white space and normalization', () => {
  expect(parse(' "John"@EXAMPLE.com ').text).toBe('"John"@EXAMPLE.com')
  expect(parse('jo\u0308rg@example.com').text).toBe('jörg@example.com')
})

test('parseAddress accepts only domains that strict UTS 46 accepts', () => {
  const flags = ['checkBidi', 'checkHyphens', 'checkJoiners', 'useSTD3ASCIIRules', 'verifyDNSLength']
  const strict = Object.fromEntries(flags.map((flag) => [flag, true]))
  for (const [text] of VALID) {
    const { domain } = parse(text)
    if (domain.kind === 'name') expect(toASCII(domain.unicode, strict)).toBe(domain.ascii)
  }
})
