import { below, pick, type Random } from '@probity/model/random'

/** The keys under each finger of a resting hand, from the little finger to the index finger and back inwards. */
const LEFT = ['aqz', 'swx', 'dec', 'fvrtgb']
const RIGHT = ['jmunhy', 'kij', 'lok', 'pl']

/**
 * Two hands that drum on the keyboard: in each stroke a few fingers of one hand press in order, the hands alternate,
 * and some strokes are repeated.
 */
export function typeBlindly(random: Random): string {
  const length = 6 + below(random, 9)
  const alternates = random() < 0.7
  let hand = random() < 0.6 ? LEFT : RIGHT
  let stroke = strike(random, hand)
  let text = ''
  while (text.length < length) {
    text += stroke
    if (random() < 0.3) continue
    if (alternates) hand = hand === LEFT ? RIGHT : LEFT
    stroke = strike(random, hand)
  }
  return text.slice(0, length)
}

/** Two to four fingers in order; most press their home key. */
function strike(random: Random, hand: readonly string[]): string {
  const inwards = random() < 0.5
  let finger = below(random, hand.length)
  let keys = ''
  for (let hit = 0; hit < 2 + below(random, 3); hit += 1) {
    const reach = hand[finger] ?? ''
    keys += random() < 0.65 ? reach.slice(0, 1) : pick(random, reach)
    finger = (finger + (inwards ? 1 : hand.length - 1)) % hand.length
  }
  return keys
}
