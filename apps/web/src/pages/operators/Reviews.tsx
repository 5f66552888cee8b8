import type { OperatorOptOuts, OperatorReview } from '@probity/contract/schemas/operators'
import { useQuery } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { Button } from '../../ui/Button.tsx'
import { Callout } from '../../ui/Callout.tsx'
import { Card } from '../../ui/Card.tsx'
import { DateTime } from '../../ui/DateTime.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field, TextInput } from '../../ui/Field.tsx'
import { FormSummary, useSubmit } from '../../ui/Form.tsx'
import { formatCount, formatNumber, formatShare } from '../../ui/format.ts'
import { PageFrame } from '../../ui/States.tsx'
import { type Column, DataTable } from '../../ui/Table.tsx'
import { ConfirmCall, useOperatorCall } from './ConfirmCall.tsx'
import { optOutsQuery, reviewsQuery } from './queries.ts'

/** Lists that the abuse limits paused, and the mail domains that opted out. */
export function Reviews() {
  const query = useQuery(reviewsQuery)
  const { isError } = query
  return (
    <>
      <Card
        title="Lists under review"
        about="The abuse limits paused these lists. Release a list if the customer has a legitimate reason, or cancel it. Unused credits are released on cancellation."
      >
        <PageFrame query={query} failed="The reviews could not be loaded" loading="Loading reviews" lines={4}>
          {(data) => (
            <div className="flex flex-col gap-4">
              {isError && <Callout kind="warning">The data could not be refreshed. It may be out of date.</Callout>}
              {!data.are_limits_on && (
                <Callout>
                  Abuse limits are off. They apply when sign-up is open or with{' '}
                  <code className="font-mono">PROBITY_ABUSE_LIMITS=true</code>.
                </Callout>
              )}
              <ReviewList reviews={data.reviews} />
            </div>
          )}
        </PageFrame>
      </Card>
      <OptOuts />
    </>
  )
}

type Decision = { review: OperatorReview; verb: 'release' | 'cancel' }

const REASONS = {
  guessed_addresses: 'Most of the sample is invalid',
  domain_limit: 'Daily domain limit exceeded',
} as const satisfies Record<OperatorReview['reason'], string>

const COLUMNS: Column<OperatorReview>[] = [
  {
    head: 'Account and list',
    isRowHead: true,
    className: 'max-w-72 min-w-48 font-normal',
    cell: (review) => (
      <>
        <p className="[overflow-wrap:anywhere]">{review.account_name}</p>
        <code className="font-mono text-xs text-faint [overflow-wrap:anywhere]">{review.job_id}</code>
      </>
    ),
  },
  { head: 'Reason', className: 'min-w-36', cell: ({ reason }) => REASONS[reason] },
  {
    head: 'Domain',
    className: 'min-w-36',
    cell: ({ domain, domain_addresses: count }) => (
      <>
        <span className="[overflow-wrap:anywhere]">{domain}</span>
        <p className="text-xs text-faint">{formatCount(count, 'address', 'addresses')}</p>
      </>
    ),
  },
  {
    head: 'Invalid',
    align: 'end',
    cell: ({ sample_done: done, sample_invalid: invalid }) => (done === 0 ? 'No results' : formatShare(invalid / done)),
  },
  {
    head: 'Done',
    align: 'end',
    className: 'whitespace-nowrap',
    cell: ({ done, total }) => `${formatNumber(done)} of ${formatNumber(total)}`,
  },
  { head: 'Since', cell: (review) => <DateTime at={review.paused_at} /> },
]

function ReviewList({ reviews }: { reviews: OperatorReview[] }) {
  const [decision, setDecision] = useState<Decision>()
  const actions = (review: OperatorReview) => (
    <div className="flex justify-end gap-1">
      <Button
        size="sm"
        onClick={() => setDecision({ review, verb: 'release' })}
        aria-label={`Release: ${review.job_id}`}
      >
        Release
      </Button>
      <Button size="sm" onClick={() => setDecision({ review, verb: 'cancel' })} aria-label={`Cancel: ${review.job_id}`}>
        Cancel
      </Button>
    </div>
  )
  if (reviews.length === 0) {
    return (
      <p className="flex items-center gap-2 text-soft">
        <CircleCheck className="size-4 text-valid" aria-hidden="true" />
        No lists are waiting for a decision.
      </p>
    )
  }
  return (
    <>
      <DataTable
        caption="Lists under review"
        cardsBelow="lg"
        cardLook="boxes"
        columns={[...COLUMNS, { head: 'Actions', isHeadHidden: true, align: 'end', cell: actions }]}
        rows={reviews}
        keyOf={(review) => review.job_id}
      />
      {decision && <DecisionDialog decision={decision} onClose={() => setDecision(undefined)} />}
    </>
  )
}

function DecisionDialog({ decision: { review, verb }, onClose }: { decision: Decision; onClose(): void }) {
  const isRelease = verb === 'release'
  const left = review.total - review.done
  return (
    <ConfirmCall
      title={isRelease ? 'Release this list?' : 'Cancel this list?'}
      confirm={isRelease ? 'Release list' : 'Cancel list'}
      {...(!isRelease && { cancel: 'Back' })}
      path={`/reviews/${review.job_id}/${verb}`}
      done={isRelease ? 'List released.' : 'List canceled.'}
      danger={!isRelease}
      onClose={onClose}
    >
      <p>
        {isRelease
          ? `The remaining ${formatCount(left, 'address', 'addresses')} will be validated regardless of the domain limits.`
          : `The remaining ${formatCount(left, 'address', 'addresses')} will not be validated, and the reserved credits are released. Results so far are kept.`}
      </p>
    </ConfirmCall>
  )
}

/** Mail domains whose owners asked not to be probed. */
function OptOuts() {
  const [isAdding, setAdding] = useState(false)
  const query = useQuery(optOutsQuery)
  return (
    <Card
      title="Opted-out domains"
      about="Workers send no probe to these domains and their subdomains. Their addresses are reported as unknown and refunded."
      actions={
        <Button size="sm" onClick={() => setAdding(true)}>
          Add domain
        </Button>
      }
    >
      <PageFrame query={query} failed="The domains could not be loaded" loading="Loading domains" lines={3}>
        {(data) => <DomainTable domains={data.domains} />}
      </PageFrame>
      {isAdding && <AddDialog onClose={() => setAdding(false)} />}
    </Card>
  )
}

function DomainTable({ domains }: OperatorOptOuts) {
  const [removed, setRemoved] = useState<string>()
  if (domains.length === 0) return <p className="text-soft">No opted-out domains.</p>
  return (
    <>
      <DataTable
        caption="Opted-out domains"
        cardsBelow="lg"
        cardLook="boxes"
        columns={[
          {
            head: 'Domain',
            isRowHead: true,
            className: 'min-w-36 font-normal',
            cell: ({ domain }) => <span className="[overflow-wrap:anywhere]">{domain}</span>,
          },
          { head: 'Note', className: 'min-w-36 [overflow-wrap:anywhere]', cell: ({ note }) => note },
          { head: 'Added', cell: (row) => <DateTime at={row.created_at} /> },
          {
            head: 'Actions',
            isHeadHidden: true,
            align: 'end',
            cell: ({ domain }) => (
              <Button size="sm" onClick={() => setRemoved(domain)} aria-label={`Remove ${domain}`}>
                Remove
              </Button>
            ),
          },
        ]}
        rows={domains}
        keyOf={({ domain }) => domain}
      />
      {removed !== undefined && (
        <ConfirmCall
          title={`Remove ${removed}?`}
          confirm="Remove domain"
          path="/opt-outs/remove"
          body={{ domain: removed }}
          done={`${removed} removed.`}
          danger
          onClose={() => setRemoved(undefined)}
        >
          <p>Addresses at this domain will be probed again.</p>
        </ConfirmCall>
      )}
    </>
  )
}

function AddDialog({ onClose }: { onClose(): void }) {
  const call = useOperatorCall()
  const form = useForm({ defaultValues: { domain: '', note: '' }, shouldFocusError: false })
  const submit = useSubmit(form, async ({ domain, note }) => {
    const name = domain.trim().toLowerCase()
    await call('/opt-outs', { domain: name, note: note.trim() }, `${name} added. It is no longer probed.`)
    onClose()
  })
  const { errors, isSubmitting } = form.formState
  return (
    <Dialog open onClose={onClose} title="Add opted-out domain" about="The change is recorded in the audit log.">
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <FormSummary form={form} />
        <Field label="Domain" hint="The part after the @, for example example.com." error={errors.domain?.message}>
          {(ids) => (
            <TextInput
              {...ids}
              {...form.register('domain', { required: 'Enter a domain.' })}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
          )}
        </Field>
        <Field
          label="Note"
          optional
          hint="For example, the date and sender of the request."
          error={errors.note?.message}
        >
          {(ids) => <TextInput {...ids} {...form.register('note', { maxLength: 200 })} autoComplete="off" />}
        </Field>
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={isSubmitting}>
            Add domain
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
