import { mayUse } from '@probity/contract/constants/users'
import type { ErasureCounts } from '@probity/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { APP_HEADERS, readFailure, saveFile, unreachable } from '../../../session/client.ts'
import { useScene } from '../../../session/workspace.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field, TextInput } from '../../../ui/Field.tsx'
import { FormSummary, useSubmit } from '../../../ui/Form.tsx'
import { formatCount } from '../../../ui/format.ts'
import { NoPermission } from '../../../ui/States.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import { PasswordDialog } from '../../users/profile/PasswordDialog.tsx'
import { DeleteCard } from './DeleteCard.tsx'

/** Export, erasure and deletion. Owners and admins can erase an address; only owners can export and delete. */
export function YourData() {
  const { role } = useScene().membership
  const mayErase = mayUse(role, 'account:write', false)
  if (role !== 'owner') {
    return (
      <>
        {mayErase && <EraseCard />}
        <Card title="Data">
          <NoPermission what="export or delete the account" roles="owner" />
        </Card>
      </>
    )
  }
  return (
    <>
      <ExportCard />
      <EraseCard />
      <DeleteCard />
    </>
  )
}

/** Deletes everything that is stored about one address. */
function EraseCard() {
  const [email, setEmail] = useState<string>()
  const [counts, setCounts] = useState<ErasureCounts>()
  const form = useForm({ defaultValues: { email: '' }, shouldFocusError: false })
  const submit = useSubmit(form, async (values) => {
    setCounts(undefined)
    setEmail(values.email.trim())
  })
  const finish = (erased: ErasureCounts) => {
    setEmail(undefined)
    setCounts(erased)
    form.reset()
  }
  return (
    <Card
      title="Erase address"
      about="Deletes all stored data about one address, for example after an erasure request under GDPR Article 17. Lists keep their counts, and credits do not change."
    >
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <Field label="Email address" error={form.formState.errors.email?.message}>
          {(ids) => (
            <TextInput
              {...ids}
              {...form.register('email', {
                validate: (text) => /[^\s@]@[^\s@]/.test(text) || 'Enter an email address.',
              })}
              inputMode="email"
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
            />
          )}
        </Field>
        <div>
          <Button type="submit" look="danger">
            Erase address
          </Button>
        </div>
      </form>
      {counts && <ErasedCallout counts={counts} />}
      {email !== undefined && <EraseDialog email={email} onClose={() => setEmail(undefined)} onErased={finish} />}
    </Card>
  )
}

type EraseDialogProps = { email: string; onClose(): void; onErased(counts: ErasureCounts): void }

function EraseDialog({ email, onClose, onErased }: EraseDialogProps) {
  const { probity, membership } = useScene()
  const queryClient = useQueryClient()
  const form = useForm({ shouldFocusError: false })
  const submit = useSubmit(form, async () => {
    const { counts } = await probity.erasures.create(email)
    await queryClient.invalidateQueries({ queryKey: [membership.account_id] })
    onErased(counts)
  })
  const { isSubmitting } = form.formState
  return (
    <Dialog
      open
      onClose={onClose}
      mayClose={() => !isSubmitting}
      title="Erase this address?"
      about={<span className="break-all">{email}</span>}
    >
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <FormSummary form={form} />
        <p>
          Validations, list results, stored file rows, drafts, allow &amp; block list entries, feedback and webhook
          events for this address are deleted in live and test mode. This cannot be undone.
        </p>
        <p className="text-soft">
          The request fails if a list in progress contains the address. The audit log records the erasure without the
          address.
        </p>
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose} disabled={isSubmitting}>
            Cancel
          </Button>
          <Button type="submit" look="danger" busy={isSubmitting}>
            Erase address
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const KINDS: [keyof ErasureCounts, string, string?][] = [
  ['validations', 'validation'],
  ['job_results', 'list result'],
  ['job_batches', 'batch', 'batches'],
  ['upload_rows', 'stored file row'],
  ['uploads', 'unconfirmed upload'],
  ['recent_results', 'recent result'],
  ['idempotency_records', 'stored response'],
  ['feedback', 'reported outcome'],
  ['overrides', 'override'],
  ['webhook_events', 'webhook event'],
]

function ErasedCallout({ counts }: { counts: ErasureCounts }) {
  const lines = KINDS.filter(([kind]) => counts[kind] > 0).map(([kind, ...words]) =>
    formatCount(counts[kind], ...words),
  )
  return (
    <div className="mt-4">
      <Callout kind="success" live>
        {lines.length === 0 ? 'No data was stored about this address.' : `Erased: ${lines.join(', ')}.`}
      </Callout>
    </div>
  )
}

const FILE = 'probity-export.ndjson'

function ExportCard() {
  const { account_id: accountId } = useScene().membership
  const toasts = useToasts()
  const [isOpen, setOpen] = useState(false)
  const take = async (password: string) => {
    saveFile(await fetchExport(accountId, password), FILE)
    setOpen(false)
    toasts.done(`${FILE} downloaded.`)
  }
  return (
    <Card
      title="Export all data"
      about="All stored data of the account in one file (JSON Lines): members, keys without secrets, webhooks, policies, allow & block lists, lists with unexpired results, single results and credit transactions. Uploaded files are not included."
    >
      <Button onClick={() => setOpen(true)} icon={<Download className="size-4" aria-hidden="true" />}>
        Export all data
      </Button>
      {isOpen && (
        <PasswordDialog
          title="Export all data"
          about="The file contains personal data. It is a snapshot of the account at this time."
          action="Export data"
          onClose={() => setOpen(false)}
          onPassword={take}
        />
      )}
    </Card>
  )
}

/** A plain link cannot send a password, so the file is downloaded in memory. Its last line proves that it is complete. */
async function fetchExport(accountId: string, password: string): Promise<Blob> {
  const response = await fetch('/app/api/export', {
    method: 'POST',
    headers: { ...APP_HEADERS, 'probity-account': accountId, 'content-type': 'application/json' },
    body: JSON.stringify({ password }),
  }).catch(() => {
    throw unreachable()
  })
  if (!response.ok) throw await readFailure(response)
  const blob = await response.blob().catch(() => {
    throw unreachable()
  })
  const end = await blob.slice(-200).text()
  if (!/\{"record":"end","records":\d+\}\n$/.test(end)) throw unreachable()
  return blob
}
