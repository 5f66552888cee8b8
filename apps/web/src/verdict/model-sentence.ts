import type { AnyResult } from './any-result.ts'

/** What part the model had in a result: it took part, had nothing to say, was not asked, or has been left out. */
export function modelSentence(result: AnyResult): string {
  const { status, ai_enhancement: model, evidence = [] } = result
  const outcomeOf = (wanted: string) => evidence.find(({ check }) => check === wanted)?.outcome
  const text = outcomeOf('address_text')
  if (outcomeOf('model') === 'fallback') {
    return 'The model has no say here: at this provider it has been too far from what became of mail. Only what is usual for such addresses counts.'
  }
  if (model?.used) return `The model ${model.method} took part. ${text === 'abstained' ? SILENT : READ}`
  if (status === 'valid' || status === 'invalid') return 'No model took part: the checks decided.'
  if (text === undefined) return 'No model took part.'
  return text === 'abstained' ? `No model took part. ${SILENT}` : 'The model read the address and found little to say.'
}

const READ = 'It knows the text of the address and nothing of its owner.'
const SILENT = 'It kept silent on the text, which is of a kind that it cannot judge.'
