import { useEffect, useState } from 'react'
import { verdictLook } from '../../../labels/verdict.tsx'
import { verdictSentence } from '../../../labels/verdict-sentences.ts'
import { useDelayReason } from '../../../shell/DelayBanner.tsx'
import { Button } from '../../../ui/Button.tsx'
import { CodeBlock, CodeTabs } from '../../../ui/Code.tsx'
import { Tabs } from '../../../ui/Tabs.tsx'
import { validateSnippets } from '../../accounts/keys/validate-snippets.ts'
import { type Explain, ResultDetails } from '../result/ResultDetails.tsx'
import { type Recommendation, useRecommend } from '../result/recommendation.ts'
import { type AnyResult, domainOf } from '../result/result.ts'
import type { Validation, ValidationOutcome, ValidationState } from './use-validation.ts'
import { ValidationError } from './ValidationError.tsx'

const TIMEOUT_DEFAULT_S = 10

type AnswerPanelProps = { validation: Validation; onTry(email: string): void; withCode?: boolean; Explain?: Explain }

/** The state and the result of a validation. */
export function ResultPanel({ validation, onTry, withCode = false, Explain }: AnswerPanelProps) {
  const { state } = validation
  const recommend = useRecommend()
  return (
    <>
      <p role="status" className="sr-only">
        {announce(state, recommend)}
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
          <ResultTabs answer={state.answer} onTry={onTry} withCode={withCode} Explain={Explain} />
        </>
      )}
      {state.kind === 'failed' && (
        <ValidationError failure={state.failure} retryAfterS={state.retryAfterS} onRetry={validation.repeat} />
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
function announce(state: ValidationState, recommend: (result: AnyResult) => Recommendation): string {
  if (state.kind === 'asking') return 'Validating.'
  if (state.kind !== 'answered') return ''
  const { result } = state.answer
  const { word } = verdictLook(result.status)
  return `${word}. ${recommend(result).word}. ${verdictSentence(result.status, result.sub_status, domainOf(result))}`
}

type AnswerTabsProps = {
  answer: ValidationOutcome
  onTry(email: string): void
  withCode?: boolean
  Explain?: Explain | undefined
}

/** The result with explanations, as JSON, and as code that requests it. */
function ResultTabs({ answer, onTry, withCode = false, Explain }: AnswerTabsProps) {
  const [open, setOpen] = useState('explained')
  const { result, charged } = answer
  const snippets = validateSnippets({ host: window.location.origin, email: result.email })
  const explained = (
    <ResultDetails
      result={result}
      charged={charged}
      onTry={onTry}
      onAskAgain={() => onTry(result.email)}
      Explain={Explain}
    />
  )
  const json = <CodeBlock code={JSON.stringify(result, null, 2)} label="Result as JSON" />
  return (
    <Tabs
      label="Result"
      value={open}
      onChange={setOpen}
      tabs={[
        { value: 'explained', label: 'Details', content: explained },
        { value: 'json', label: 'JSON', content: json },
        ...(withCode ? [{ value: 'code', label: 'Code', content: <CodeTabs label="Code" snippets={snippets} /> }] : []),
      ]}
    />
  )
}

const SLOW_AFTER_MS = 8_000

/** Shown while a validation runs. */
function Waiting({ email, timeoutS, onCancel }: { email: string; timeoutS: number; onCancel(): void }) {
  const [isSlow, setSlow] = useState(false)
  const isDelayed = typeof useDelayReason() === 'string'
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 flex-1 basis-48 [overflow-wrap:anywhere]">
          Validating <span className="font-mono text-[0.8125rem]">{email}</span>
        </p>
        <Button size="sm" onClick={onCancel}>
          Cancel
        </Button>
      </div>
      <p role="status" className="text-soft empty:hidden">
        {isDelayed && `Waiting for a worker, for up to ${timeoutS} seconds. No mail server has been contacted yet.`}
        {isSlow &&
          !isDelayed &&
          `The mail server is slow to respond. The timeout is ${timeoutS} seconds. You can leave this page and validate the address again later.`}
      </p>
      <div aria-hidden="true" className="flex flex-col gap-3">
        <div className="skeleton h-8 w-40" />
        <div className="skeleton h-5 w-4/5" />
        <div className="skeleton h-16 w-full" />
        <div className="skeleton h-5 w-3/5" />
        <div className="skeleton h-5 w-2/3" />
      </div>
    </div>
  )
}
