import { verdictLook } from '../../../labels/verdict.tsx'
import { verdictSentence } from '../../../labels/verdict-sentences.ts'
import { adviceOn } from '../result/advice.ts'
import { domainOf } from '../result/any-result.ts'
import type { Explain } from '../result/ResultDetails.tsx'
import { AnswerTabs } from './AnswerTabs.tsx'
import { AskFailed } from './AskFailed.tsx'
import type { Validation, ValidationState } from './use-validation.ts'
import { Waiting } from './Waiting.tsx'

const TIMEOUT_DEFAULT_S = 10

type AnswerPanelProps = { validation: Validation; onTry(email: string): void; withCode?: boolean; Explain?: Explain }

/** The state and the result of a validation. */
export function AnswerPanel({ validation, onTry, withCode = false, Explain }: AnswerPanelProps) {
  const { state } = validation
  return (
    <>
      <p role="status" className="sr-only">
        {announce(state)}
      </p>
      {state.kind === 'asking' && (
        <Waiting
          email={state.asked.email}
          timeoutS={state.asked.timeout ?? TIMEOUT_DEFAULT_S}
          onCancel={validation.cancel}
        />
      )}
      {state.kind === 'answered' && (
        <>
          <h2 className="sr-only">Result</h2>
          <AnswerTabs answer={state.answer} onTry={onTry} withCode={withCode} Explain={Explain} />
        </>
      )}
      {state.kind === 'failed' && (
        <AskFailed failure={state.failure} retryAfterS={state.retryAfterS} onRetry={validation.repeat} />
      )}
      {state.kind === 'canceled' && (
        <p className="text-soft">
          Canceled. The validation may still be running. Validate the same address again to get its result at no extra
          charge.
        </p>
      )}
    </>
  )
}

/** For screen readers, because the focus stays in the field. */
function announce(state: ValidationState): string {
  if (state.kind === 'asking') return 'Validating.'
  if (state.kind !== 'answered') return ''
  const { result } = state.answer
  const { word } = verdictLook(result.status)
  return `${word}. ${adviceOn(result)}. ${verdictSentence(result.status, result.sub_status, domainOf(result))}`
}
