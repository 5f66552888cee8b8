import { STRING_MODEL_DATA } from './data/string-model.ts'
import {
  type Abstention,
  abstain,
  GRAM_SLOTS,
  newFeatures,
  newReading,
  readLocal,
  writeFeatures,
} from './string-features.ts'

/** Plausibility of the text of a local part: log-odds that a person chose it, or the reason why the model abstains. */
export type Plausibility = { kind: 'scored'; logit: number } | { kind: 'abstained'; why: Abstention }

/** The model in use. The hash covers its weights and scales, so that a result can be traced to them. */
export const STRING_MODEL = {
  name: STRING_MODEL_DATA.name,
  version: STRING_MODEL_DATA.version,
  hash: STRING_MODEL_DATA.hash,
}

/** Beyond this the training data are not sufficient: real people have chosen more unusual names. */
const LOGIT_MAX = 6

const WEIGHTS = Int8Array.from(atob(STRING_MODEL_DATA.weights), (byte) => byte.charCodeAt(0))

// Scoring is synchronous, so one reading and one list of features serve every call and nothing is allocated in between.
const reading = newReading()
const features = newFeatures()

/** Plausibility that a person chose the local part. Case, tag and quotes make no difference. */
export function plausibilityOf(local: string): Plausibility {
  readLocal(local, reading)
  const why = abstain(reading)
  if (why !== undefined) return { kind: 'abstained', why }

  writeFeatures(reading, features)
  return { kind: 'scored', logit: Math.max(-LOGIT_MAX, Math.min(LOGIT_MAX, sumUp())) }
}

function sumUp(): number {
  const { slots, length } = features
  let grams = 0
  let shapes = 0
  for (let at = 0; at < length; at += 1) {
    const slot = slots[at] ?? 0
    if (slot < GRAM_SLOTS) grams += WEIGHTS[slot] ?? 0
    else shapes += WEIGHTS[slot] ?? 0
  }
  return STRING_MODEL_DATA.intercept + STRING_MODEL_DATA.gramScale * grams + STRING_MODEL_DATA.shapeScale * shapes
}

/** Whether the text is flagged as auto-generated. */
export function looksMachineGenerated(plausibility: Plausibility): boolean {
  return plausibility.kind === 'scored' && plausibility.logit < STRING_MODEL_DATA.threshold
}
