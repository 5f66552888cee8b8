/**
 * The Latin keys of Korean letters on a Korean keyboard, in the order in which Unicode composes a syllable (chapter
 * 3.12).
 */
const INITIALS = 'r R s e E f a q Q t T d w W c z x v g'.split(' ')
const MEDIALS = 'k o i O j p u P h hk ho hl y n nj np nl b m ml l'.split(' ')
const FINALS = ' r R rt s sw sg e f fr fa fq ft fx fv fg a q qt t T d w c z x v g'.split(' ')

const FIRST_SYLLABLE = 0xac00
const LAST_SYLLABLE = 0xd7a3

/** The Latin text of a Hangul name typed with the keyboard in Latin mode, as many Koreans choose their user names. */
export function typeHangul(name: string): string {
  let keys = ''
  for (const syllable of name) {
    const code = syllable.charCodeAt(0)
    if (code < FIRST_SYLLABLE || code > LAST_SYLLABLE) continue
    const index = code - FIRST_SYLLABLE
    const final = index % FINALS.length
    const medial = Math.floor(index / FINALS.length) % MEDIALS.length
    const initial = Math.floor(index / (FINALS.length * MEDIALS.length))
    keys += `${INITIALS[initial]}${MEDIALS[medial]}${FINALS[final]}`
  }
  return keys.toLowerCase()
}
