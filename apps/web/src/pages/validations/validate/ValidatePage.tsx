import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronRight, Link2, MailCheck } from 'lucide-react'
import { useRef, useState } from 'react'
import { VerdictBadge } from '../../../labels/verdict.tsx'
import { accountQuery, useMay, useScene } from '../../../session/workspace.ts'
import { ProbingNow } from '../../../shell/ProbingNotice.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Field, SelectInput } from '../../../ui/Field.tsx'
import { Page } from '../../../ui/Page.tsx'
import { EmptyState, NoPermission } from '../../../ui/States.tsx'
import { Deliverability } from '../result/Deliverability.tsx'
import { AddressForm, Examples } from './AddressForm.tsx'
import { ResultPanel } from './ResultPanel.tsx'
import { useValidation, type ValidationOutcome, type ValidationState } from './use-validation.ts'

const ABOUT = 'Validate one address and see the evidence behind the verdict.'

export function ValidatePage() {
  const may = useMay('validations:write')
  return (
    <Page title="Validate" about={ABOUT}>
      {may ? <Workbench /> : <NoPermission what="validate addresses" roles="owner, admin, developer or marketer" />}
    </Page>
  )
}

const EXAMPLES = [
  'valid',
  'invalid',
  'catch-all',
  'unknown',
  'typo',
  'disposable',
  'mailbox-full',
  'role',
  'greylisted',
  'slow-5s',
  'error-429',
]
const TIMEOUT_DEFAULT_S = 10

function Workbench() {
  const { mode } = useScene()
  const recent = useRecentChecks()
  const validation = useValidation(mode, recent.keep)
  // Never in the URL: email addresses must not end up in logs and browser histories.
  const [email, setEmail] = useState('')
  const [timeout, setTimeoutS] = useState(TIMEOUT_DEFAULT_S)
  const input = useRef<HTMLInputElement>(null)
  const ask = (wanted: string) => {
    setEmail(wanted)
    validation.ask({ email: wanted, timeout })
    input.current?.focus()
  }
  const isAsking = validation.state.kind === 'asking'
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_18rem]">
      <div className="flex min-w-0 flex-col gap-6">
        <ProbingNow />
        <Card>
          <AddressForm value={email} onChange={setEmail} onSubmit={ask} busy={isAsking} inputRef={input}>
            {mode === 'test' && <Examples names={EXAMPLES} onPick={ask} disabled={isAsking} />}
            <TimeoutOption value={timeout} onChange={setTimeoutS} />
          </AddressForm>
        </Card>
        <Card>
          {validation.state.kind === 'idle' ? <Nothing /> : <h2 className="sr-only">Result</h2>}
          <ResultPanel validation={validation} onTry={ask} withCode Explain={Deliverability} />
          <ResultLink state={validation.state} />
        </Card>
      </div>
      <RecentChecks answers={recent.answers} isKept={recent.isKept} onOpen={validation.show} onClear={recent.clear} />
    </div>
  )
}

function Nothing() {
  const { mode } = useScene()
  return (
    <EmptyState icon={<MailCheck aria-hidden="true" />} title="No result yet">
      {mode === 'test' ? (
        <p>
          Choose an example. In test mode the part before the @ selects the result, and no mail server is contacted.
        </p>
      ) : (
        <p>
          We probe the domain’s mail server without sending a message. One address costs one credit. To try it free of
          charge,{' '}
          <Link to="." search={{ mode: 'test' }} className="text-accent-text underline underline-offset-2">
            use test mode
          </Link>
          .
        </p>
      )}
    </EmptyState>
  )
}

type RecentChecksProps = {
  answers: ValidationOutcome[]
  isKept: boolean
  onOpen(answer: ValidationOutcome): void
  onClear(): void
}

function RecentChecks({ answers, isKept, onOpen, onClear }: RecentChecksProps) {
  return (
    <Card
      title="Recent validations"
      actions={
        answers.length > 0 && (
          <Button size="sm" look="quiet" onClick={onClear}>
            Clear
          </Button>
        )
      }
    >
      {answers.length === 0 && (
        <p className="text-soft">
          {isKept
            ? 'No recent validations. Results from this tab are listed here until you reload or close it.'
            : 'This account does not store results, so none are listed here.'}
        </p>
      )}
      <ul className="-mx-2 flex flex-col">
        {answers.map((answer) => (
          <li key={answer.result.id}>
            <button
              type="button"
              onClick={() => onOpen(answer)}
              className="flex min-h-9 w-full items-center justify-between gap-2 rounded-md px-2 py-1.5 text-start hover:bg-hover"
            >
              <span className="min-w-0 truncate font-mono text-xs">{answer.result.email}</span>
              <VerdictBadge status={answer.result.status} />
            </button>
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** A link to the stored result for other members. Test mode stores no results, so it has no link. */
function ResultLink({ state }: { state: ValidationState }) {
  const { mode } = useScene()
  if (mode === 'test' || state.kind !== 'answered') return null
  return (
    <p className="mt-4 border-t border-line pt-3 text-[0.8125rem]">
      <Link
        to="/validate/$validationId"
        params={{ validationId: state.answer.result.id }}
        className="inline-flex min-h-6 items-center gap-1.5 text-accent-text underline-offset-4 hover:underline"
      >
        <Link2 className="size-4" aria-hidden="true" />
        Link to this result
      </Link>
    </p>
  )
}

const TIMEOUTS_S = [5, 10, 20, 30] as const

/** Trades a quick result against a conclusive one. */
function TimeoutOption({ value, onChange }: { value: number; onChange(value: number): void }) {
  return (
    <details className="group">
      <summary className="inline-flex min-h-7 items-center gap-1 text-[0.8125rem] text-soft select-none hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight className="size-3.5 transition-transform group-open:rotate-90" aria-hidden="true" />
        Options
      </summary>
      <Field
        label="Timeout"
        hint="Without a result by then, the status is unknown and validation continues in the background. Validate the address again to get the final result at no charge."
        className="mt-2 max-w-sm"
      >
        {(ids) => (
          <SelectInput {...ids} value={value} onChange={(event) => onChange(Number(event.target.value))}>
            {TIMEOUTS_S.map((seconds) => (
              <option key={seconds} value={seconds}>
                {seconds} seconds
              </option>
            ))}
          </SelectInput>
        )}
      </Field>
    </details>
  )
}

const KEPT_MAX = 12

type StoredChecks = {
  answers: ValidationOutcome[]
  /** False if the account stores no results: then this page keeps none either. */
  isKept: boolean
  keep(answer: ValidationOutcome): void
  clear(): void
}

/** Validations made in this tab. Kept in memory only, because addresses are personal data; a reload discards them. */
function useRecentChecks(): StoredChecks {
  const scene = useScene()
  const queryClient = useQueryClient()
  const queryKey = [...scene.key, 'recent-checks']
  const { data: account } = useQuery(accountQuery(scene))
  const keepsNothing = account?.retention_days === 0
  const { data: answers } = useQuery<ValidationOutcome[]>({
    queryKey,
    queryFn: () => [],
    enabled: false,
    initialData: [],
    gcTime: Number.POSITIVE_INFINITY,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return {
    // Results received before the account was loaded are hidden too.
    answers: keepsNothing ? [] : answers,
    isKept: !keepsNothing,
    keep(answer) {
      // Read at this moment: the account may have loaded after the request was sent.
      if (queryClient.getQueryData(accountQuery(scene).queryKey)?.retention_days === 0) return
      const others = (now: ValidationOutcome[] = []) => now.filter(({ result }) => result.email !== answer.result.email)
      queryClient.setQueryData<ValidationOutcome[]>(queryKey, (now) => [answer, ...others(now)].slice(0, KEPT_MAX))
    },
    clear: () => queryClient.setQueryData<ValidationOutcome[]>(queryKey, []),
  }
}
