import type { Network as NetworkSettings } from '@probity/contract/schemas/accounts'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { asRequestFailed, callApi } from '../../../session/client.ts'
import { rolesFor, useMay, useScene } from '../../../session/workspace.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { ConfirmDialog } from '../../../ui/Dialog.tsx'
import { Field, TextArea } from '../../../ui/Field.tsx'
import { FormSummary, SaveLine, useSubmit } from '../../../ui/Form.tsx'
import { PageFrame } from '../../../ui/States.tsx'
import { UnsavedGuard } from '../../../ui/UnsavedGuard.tsx'

const ABOUT =
  'IP allowlist of the account. It applies to secret keys and to members in the web app. Publishable keys are used by visitors and work from all IP addresses.'

export function Network() {
  const may = useMay('account:write')
  const { account_id: accountId } = useScene().membership
  const query = useQuery({ ...networkQuery(accountId), enabled: may })
  return (
    <Card title="Network" about={ABOUT}>
      <PageFrame
        query={query}
        failed="The network settings could not be loaded"
        permission={{ may, what: 'view the network settings', roles: rolesFor('account:write') }}
        lines={4}
      >
        {(network) => <NetworkForm network={network} />}
      </PageFrame>
    </Card>
  )
}

type Values = { ip_allowlist: string }

function NetworkForm({ network }: { network: NetworkSettings }) {
  const save = useSave()
  const [isSaved, setSaved] = useState(false)
  const [asksAbout, setAsksAbout] = useState<string[]>()
  const form = useForm<Values>({ values: { ip_allowlist: network.ip_allowlist.join('\n') }, shouldFocusError: false })
  const send = async (list: string[], confirmed: boolean) => {
    await save(list, confirmed)
    form.reset({ ip_allowlist: list.join('\n') })
    setSaved(true)
  }
  const submit = useSubmit(form, async (values) => {
    const list = linesOf(values.ip_allowlist)
    try {
      await send(list, false)
    } catch (error) {
      if (asRequestFailed(error).code !== 'ip_lockout') throw error
      setAsksAbout(list)
    }
  })
  const addMine = () => {
    const lines = [...new Set([...linesOf(form.getValues('ip_allowlist')), network.your_address])]
    form.setValue('ip_allowlist', lines.join('\n'), { shouldDirty: true })
  }
  const { errors, isDirty, isSubmitting } = form.formState
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <UnsavedGuard isDirty={isDirty} />
      <FormSummary form={form} />
      <OwnAddress address={network.your_address} onAdd={addMine} />
      <Field
        label="Allowed IP addresses"
        hint="One IP address or CIDR range per line, such as 192.0.2.0/24. Empty allows all IP addresses."
        error={errors.ip_allowlist?.message}
      >
        {(ids) => (
          <TextArea
            {...ids}
            {...form.register('ip_allowlist')}
            spellCheck={false}
            autoComplete="off"
            rows={5}
            className="font-mono text-[0.8125rem]"
          />
        )}
      </Field>
      <SaveLine isDirty={isDirty} isBusy={isSubmitting} isSaved={isSaved} />
      {asksAbout && (
        <LockOutDialog
          address={network.your_address}
          onCancel={() => setAsksAbout(undefined)}
          onConfirm={() => send(asksAbout, true)}
        />
      )}
    </form>
  )
}

function OwnAddress({ address, onAdd }: { address: string; onAdd(): void }) {
  return (
    <Callout
      actions={
        <Button size="sm" onClick={onAdd}>
          Add my IP address
        </Button>
      }
    >
      Your IP address is <code className="font-mono">{address}</code>.
    </Callout>
  )
}

function linesOf(text: string): string[] {
  return text.split(/[\s,;]+/).filter((line) => line !== '')
}

function useSave() {
  const { account_id: accountId } = useScene().membership
  const queryClient = useQueryClient()
  return async (list: string[], confirmed: boolean) => {
    const body = { ip_allowlist: list, ...(confirmed && { confirmed }) }
    const headers = { 'probity-account': accountId }
    const network = await callApi<NetworkSettings>('/network', { method: 'PATCH', body, headers })
    queryClient.setQueryData(networkQuery(accountId).queryKey, network)
  }
}

type LockOutProps = { address: string; onCancel(): void; onConfirm(): Promise<void> }

/** Asks for confirmation, because the user needs the help of another member or an operator to regain access. */
function LockOutDialog({ address, onCancel, onConfirm }: LockOutProps) {
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()
  const confirm = async () => {
    setBusy(true)
    try {
      await onConfirm()
      onCancel()
    } catch (error) {
      setFailure(asRequestFailed(error).message)
      setBusy(false)
    }
  }
  return (
    <ConfirmDialog
      open
      onCancel={onCancel}
      onConfirm={() => void confirm()}
      title="You will lose access"
      confirm="Save anyway"
      busy={isBusy}
      danger
    >
      <p>
        Your IP address, {address}, is not on the list. After saving, you can use this account only from an allowed IP
        address.
      </p>
      <p>If no member has access, the operator of this installation can clear the list.</p>
      {failure && (
        <Callout kind="error" live>
          {failure}
        </Callout>
      )}
    </ConfirmDialog>
  )
}

/** The IP allowlist of the account. */
function networkQuery(accountId: string) {
  return queryOptions({
    queryKey: [accountId, 'network'],
    queryFn: ({ signal }) =>
      callApi<NetworkSettings>('/network', { signal, headers: { 'probity-account': accountId } }),
  })
}
