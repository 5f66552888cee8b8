import { validate } from 'isemail'
import { expect, test } from 'vitest'
import { type Malformed, parseAddress } from './parse.ts'
import { makeInputs } from './test-inputs.ts'

const INPUTS = 100_000

/** isemail's codes below this are for addresses that SMTP can carry. */
const NOT_FOR_SMTP = 16

/** Where we refuse what isemail takes: our reason, what must then be in the text, and why. */
const STRICTER: Partial<Record<Malformed['reason'], { has: RegExp; why: string }>> = {
  single_label: { has: /@[^.]+$/u, why: 'a top-level domain has no mailboxes that a service could ask' },
  numeric_tld: { has: /\p{N}$/u, why: 'RFC 3696 §2' },
  bad_idna: { has: /@.*(?:[^\0-\x7f]|[xX][nN]--)/su, why: 'isemail takes any text beyond ASCII for a domain' },
  label_hyphen: { has: /[@.]..--/u, why: 'RFC 5890 §2.3.1' },
  invisible_character: { has: /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u, why: 'isemail takes them for letters' },
  control_character: {
    has: /[\p{Zl}\p{Zp}]|\\\t/u,
    why: 'isemail takes the two separators for letters, and a tab behind a backslash as in a message header',
  },
  bad_character: {
    has: /[\p{Cs}\p{Co}\p{Cn}\p{Zs}]|^"?\p{M}|\\[^\0-\x7f]/u,
    why: 'isemail takes them for letters, lets a mark come first and a backslash stand before anything',
  },
  bad_literal: { has: /[[.:]0[0-9]+[.\]]/u, why: 'RFC 6943 §3.1.1, leading zeros' },
  label_empty: { has: /[。．｡]/u, why: 'isemail does not know the wide dots' },
  trailing_dot: { has: /[。．｡]$/u, why: 'isemail does not know the wide dots' },
  label_too_long: { has: /@.*[^\0-\x7f]/su, why: 'isemail does not map, and İ becomes two characters' },
  domain_too_long: { has: /@.*[^\0-\x7f]/su, why: 'isemail does not map, and İ becomes two characters' },
  too_long: { has: /@.*[^\0-\x7f]/su, why: 'isemail does not map, and İ becomes two characters' },
}

/** Where we take what isemail refuses: its code, what must then be in the text, and why. */
const LOOSER: Record<number, { has: RegExp; why: string }> = {
  35: { has: /^".* .*"@/su, why: 'RFC 5321 §4.1.2: a space is qtextSMTP, isemail counts it among the controls' },
  65: { has: /@.*[\u0080-\u00bf]/su, why: 'UTS 46 maps º and the like to letters' },
  66: { has: /^"|@.*[^\0-\x7f]/su, why: 'we count what is sent: A-labels, and no quotes that are not needed' },
  67: { has: /^"/u, why: 'we count what is sent: no quotes or backslashes that are not needed' },
  69: { has: /@.*[^\0-\x7f]/su, why: 'we count A-labels, not octets of UTF-8' },
}

/** What chance seldom makes. */
const RARE = [
  'a@aºple.com',
  `a@${`${'İ'.repeat(28)}.`.repeat(5)}com`,
  `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'İ'.repeat(28)}`,
  `"${'a'.repeat(64)}"@b.example`,
  `"${'a'.repeat(62)}"@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(62)}`,
]

test('differs from isemail for reasons on this list only', { timeout: 60_000 }, () => {
  const inputs = makeInputs(5322)
  let agreed = 0
  const met = new Set<string>()
  for (let left = INPUTS; left > 0; left -= 1) {
    // White space around an address is a comment to isemail and nothing to us.
    const text = (RARE[INPUTS - left] ?? inputs.next().value).trim().normalize('NFC')
    const address = parseAddress(text)
    const code = validate(text, { errorLevel: true })
    if ((address.kind === 'address') === code < NOT_FOR_SMTP) agreed += 1
    else {
      const known = address.kind === 'malformed' ? STRICTER[address.reason] : LOOSER[code]
      const here = address.kind === 'malformed' ? address.reason : String(code)
      if (!known?.has.test(text)) throw new Error(`not explained: ${here}, isemail ${code}, ${JSON.stringify(text)}`)
      met.add(here)
    }
  }
  expect(agreed).toBeGreaterThan(INPUTS * 0.8)
  // A row that explains nothing any more is to be taken out.
  const never = [...Object.keys(STRICTER), ...Object.keys(LOOSER)].filter((row) => !met.has(row))
  expect(never).toEqual([])
})
