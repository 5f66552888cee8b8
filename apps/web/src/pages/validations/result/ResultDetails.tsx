import { Link } from '@tanstack/react-router'
import { ArrowRight, Hourglass, RotateCw, SpellCheck } from 'lucide-react'
import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { VerdictBadge } from '../../../labels/verdict.tsx'
import { confidenceWord, verdictSentence, whatHappensNext } from '../../../labels/verdict-sentences.ts'
import { Button, CopyButton } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { DateTime } from '../../../ui/DateTime.tsx'
import { formatCharge, formatClock, formatShare } from '../../../ui/format.ts'
import { EvidenceTimeline } from './EvidenceTimeline.tsx'
import { Flags } from './Flags.tsx'
import { useRecommend } from './recommendation.ts'
import { type AnyResult, domainOf, NOT_STARTED } from './result.ts'

/** Explains the deliverability. Passed in, because only pages that show live results need its script. */
export type Explain = ComponentType<{ result: AnyResult }>

type ResultDetailsProps = {
  result: AnyResult
  /** Credits charged for the result, if known. */
  charged?: number | undefined
  /** The address is shown above, as the title of a dialog. */
  isTitled?: boolean
  /** Validates the suggested address. Without it the suggestion can be copied. */
  onTry?: ((email: string) => void) | undefined
  /** Validates again to get the final result of a deferred validation. */
  onAskAgain?: (() => void) | undefined
  Explain?: Explain | undefined
}

/** The result for one address: verdict, recommendation, traits, deliverability and evidence. */
export function ResultDetails(props: ResultDetailsProps) {
  const { result, charged, isTitled = false, onTry, onAskAgain, Explain } = props
  const retryAt = 'retry_at' in result ? result.retry_at : null
  return (
    <div className="flex flex-col gap-5">
      <Verdict result={result} isTitled={isTitled} />
      {result.did_you_mean && <Suggestion email={result.did_you_mean} onTry={onTry} />}
      {retryAt !== null && <OpenNotice subStatus={result.sub_status} retryAt={retryAt} onAskAgain={onAskAgain} />}
      <Facts result={result} charged={charged} />
      <Flags result={result} />
      {Explain && <Explain result={result} />}
      <section className="flex flex-col gap-3">
        <h3 className="font-semibold">Evidence</h3>
        {result.evidence === undefined ? (
          <Callout>The evidence for this result was not loaded.</Callout>
        ) : (
          <EvidenceTimeline result={result} evidence={result.evidence} />
        )}
      </section>
    </div>
  )
}

function Verdict({ result, isTitled }: { result: AnyResult; isTitled: boolean }) {
  const { email, status, sub_status: subStatus } = result
  const { word, why } = useRecommend()(result)
  return (
    <div className="flex flex-col gap-2.5">
      {!isTitled && (
        <p className="flex items-center gap-1 font-mono text-[0.8125rem] text-soft">
          <span className="min-w-0 [overflow-wrap:anywhere]">{email}</span>
          <CopyButton text={email} label="Copy address" />
        </p>
      )}
      <p className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <VerdictBadge status={status} size="lg" />
        <strong className="text-lg font-semibold tracking-[-0.01em]">{word}</strong>
      </p>
      {why !== '' && (
        <p className="max-w-prose text-[0.9375rem] [overflow-wrap:anywhere]">
          {why}{' '}
          <Link to="/settings/account" className="text-accent-text underline underline-offset-2">
            Safe-to-send settings
          </Link>
        </p>
      )}
      <p className="max-w-prose text-soft [overflow-wrap:anywhere]">
        {verdictSentence(status, subStatus, domainOf(result))} {extraOf(result)}
      </p>
    </div>
  )
}

/** Completes the sentence: the syntax error, or a note on a valid role address. */
function extraOf(result: AnyResult): string {
  const { status, sub_status: subStatus, evidence = [] } = result
  if (subStatus === 'syntax_error') return evidence.find(({ check }) => check === 'syntax')?.detail ?? ''
  const { is_role_based: isRole } = 'domain' in result ? result : result.details
  return status === 'valid' && isRole ? 'It is a role address, so several people may read it.' : ''
}

function Facts({ result, charged }: { result: AnyResult; charged: number | undefined }) {
  const code = result.details?.smtp_code ?? 0
  const hasStarted = result.sub_status !== NOT_STARTED
  const checkedAt = hasStarted ? checkedAtOf(result) : undefined
  const isLive = !('livemode' in result) || result.livemode
  return (
    <dl className="grid grid-cols-2 gap-x-4 gap-y-3 rounded-md border border-line bg-sunken px-4 py-3 sm:grid-cols-3 xl:grid-cols-5">
      <Fact name="Confidence">
        {hasStarted ? (
          <>
            {confidenceWord(result.confidence)} <span className="text-faint">{formatShare(result.confidence)}</span>
          </>
        ) : (
          <span className="text-faint">None</span>
        )}
      </Fact>
      <Fact name="SMTP reply">
        {code > 0 ? <span className="font-mono">{code}</span> : <span className="text-faint">None</span>}
      </Fact>
      <Fact name="Depth">{hasStarted ? DEPTHS[result.depth] : 'Not started'}</Fact>
      {checkedAt !== undefined && (
        <Fact name="Validated">
          <span className="[&_time]:whitespace-normal">
            <DateTime at={checkedAt} />
          </span>
        </Fact>
      )}
      {charged !== undefined && <Fact name="Charged">{formatCharge(charged, isLive)}</Fact>}
    </dl>
  )
}

const DEPTHS = { smtp: 'SMTP', dns: 'DNS only' }

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-faint">{name}</dt>
      <dd className="mt-0.5 font-medium">{children}</dd>
    </div>
  )
}

/** The time of the SMTP probe, which can be cached and older than the result; else the time of the last finding. */
function checkedAtOf({ evidence = [] }: AnyResult): string | undefined {
  const asked = evidence.find(({ check }) => check === 'recipient') ?? evidence.at(-1)
  return asked?.checked_at
}

/** The typo suggestion. It is never applied automatically. */
function Suggestion({ email, onTry }: { email: string; onTry: ((email: string) => void) | undefined }) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md bg-accent-soft px-4 py-3 text-accent-text">
      <SpellCheck className="size-4 shrink-0" aria-hidden="true" />
      <p className="min-w-0 flex-1 basis-48 [overflow-wrap:anywhere]">
        Did you mean <strong className="font-mono font-medium">{email}</strong>?
      </p>
      {onTry ? (
        <Button size="sm" onClick={() => onTry(email)} icon={<ArrowRight className="size-4" aria-hidden="true" />}>
          Validate suggestion
        </Button>
      ) : (
        <CopyButton text={email} label="Copy suggested address" word="Copy" />
      )}
    </div>
  )
}

type OpenNoticeProps = { subStatus: string; retryAt: string; onAskAgain: (() => void) | undefined }

/** Why a result is deferred, what happens next, and when to validate again. */
function OpenNotice({ subStatus, retryAt, onAskAgain }: OpenNoticeProps) {
  const at = Date.parse(retryAt)
  const secondsLeft = useSecondsUntil(at)
  const next =
    secondsLeft > 0
      ? `Validate again from ${formatClock(at)}, in ${wait(secondsLeft)}.`
      : 'You can validate this address again now.'
  return (
    <div className="flex flex-wrap items-start gap-x-3 gap-y-3 rounded-md border border-line bg-surface px-4 py-3">
      <Hourglass className="mt-0.5 size-4 shrink-0 text-faint" aria-hidden="true" />
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-medium">Validation deferred</p>
        <p className="mt-0.5 max-w-prose text-soft">
          {whatHappensNext(subStatus)} You can close this page. Validate the address again later to get the final result
          at no charge.
        </p>
        <p className="mt-1.5 tabular-nums text-soft">{next}</p>
      </div>
      {onAskAgain && (
        <Button size="sm" onClick={onAskAgain} icon={<RotateCw className="size-4" aria-hidden="true" />}>
          Validate again
        </Button>
      )}
    </div>
  )
}

function useSecondsUntil(at: number): number {
  const [now, setNow] = useState(() => Date.now())
  const isOver = now >= at
  useEffect(() => {
    if (isOver) return
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [isOver])
  return Math.max(0, Math.ceil((at - now) / 1_000))
}

function wait(seconds: number): string {
  if (seconds < 90) return `${seconds} s`
  return `${Math.round(seconds / 60)} minutes`
}
