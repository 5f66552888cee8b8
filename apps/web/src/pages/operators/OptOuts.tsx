import type { OperatorOptOuts } from '@probity/contract/schemas/operators'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field, TextInput } from '../../ui/Field.tsx'
import { FormSummary } from '../../ui/FormSummary.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import { Table, Td, Th } from '../../ui/Table.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { ConfirmCall } from './ConfirmCall.tsx'
import { optOutsQuery } from './queries.ts'
import { useOperatorCall } from './use-operator-call.ts'

/** Mail domains whose owners asked not to be probed. */
export function OptOuts() {
  const [isAdding, setAdding] = useState(false)
  const { data, error, isError, refetch } = useQuery(optOutsQuery)
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
      {data === undefined ? (
        isError ? (
          <ErrorState error={error} onRetry={() => void refetch()} what="The domains could not be loaded" />
        ) : (
          <Skeleton lines={3} label="Loading domains" />
        )
      ) : (
        <DomainTable domains={data.domains} />
      )}
      {isAdding && <AddDialog onClose={() => setAdding(false)} />}
    </Card>
  )
}

function DomainTable({ domains }: OperatorOptOuts) {
  const [removed, setRemoved] = useState<string>()
  if (domains.length === 0) return <p className="text-soft">No opted-out domains.</p>
  return (
    <>
      <Table caption="Opted-out domains">
        <thead>
          <tr>
            <Th>Domain</Th>
            <Th>Note</Th>
            <Th>Added</Th>
            <Th align="end">
              <span className="sr-only">Actions</span>
            </Th>
          </tr>
        </thead>
        <tbody className="[&_tr:last-child>*]:border-b-0">
          {domains.map(({ domain, note, created_at }) => (
            <tr key={domain}>
              <th scope="row" className="min-w-36 border-b border-line py-2.5 pe-3 text-start font-normal">
                <span className="[overflow-wrap:anywhere]">{domain}</span>
              </th>
              <Td className="min-w-36 [overflow-wrap:anywhere]">{note}</Td>
              <Td>
                <RelativeTime at={created_at} />
              </Td>
              <Td align="end">
                <Button size="sm" onClick={() => setRemoved(domain)} aria-label={`Remove ${domain}`}>
                  Remove
                </Button>
              </Td>
            </tr>
          ))}
        </tbody>
      </Table>
      {removed !== undefined && (
        <ConfirmCall
          title={`Remove ${removed}?`}
          confirm="Remove"
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
            Add
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
