import type { AnyResult } from './any-result.ts'

/** The effect of the model on a result: used, no effect, not used, or disabled for the provider. */
export function modelSentence(result: AnyResult): string {
  const { status, ai_enhancement: model, evidence = [] } = result
  const outcomeOf = (wanted: string) => evidence.find(({ check }) => check === wanted)?.outcome
  const text = outcomeOf('address_text')
  if (outcomeOf('model') === 'fallback') {
    return 'Model disabled for this provider: its predictions diverged from reported outcomes. The base rate is used instead.'
  }
  if (model?.used)
    return `Deliverability adjusted by the model ${model.method}. ${text === 'abstained' ? SILENT : READ}`
  if (status === 'valid' || status === 'invalid') return 'Model not used: the checks are conclusive.'
  if (text === undefined) return 'Model not used.'
  return text === 'abstained' ? `Model not used. ${SILENT}` : 'Model used, no significant effect.'
}

const READ = 'It evaluates only the text of the address.'
const SILENT = 'The text of this local part was not scored.'
