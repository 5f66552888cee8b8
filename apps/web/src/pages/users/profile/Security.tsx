import type { Sessions } from '@probity/contract/schemas/users'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { describeError } from '../../../labels/error-messages.ts'
import { asRequestFailed, callApi } from '../../../session/client.ts'
import { useSession } from '../../../session/session.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { ConfirmDialog } from '../../../ui/Dialog.tsx'
import { Field, PasswordInput } from '../../../ui/Field.tsx'
import { FormSummary, SaveLine, useSubmit } from '../../../ui/Form.tsx'
import { formatCount } from '../../../ui/format.ts'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { PageFrame } from '../../../ui/States.tsx'
import { type Column, DataTable } from '../../../ui/Table.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import { NEW_PASSWORD_RULES, NewPasswordField } from '../sign-in/fields.tsx'
import { SecondFactorCard } from './TwoFactorCard.tsx'

export function Security() {
  return (
    <>
      <PasswordCard />
      <SecondFactorCard />
      <SessionsCard />
    </>
  )
}

function PasswordCard() {
  const { person } = useSession()
  const queryClient = useQueryClient()
  const [isSaved, setSaved] = useState(false)
  const form = useForm({ defaultValues: { current: '', password: '' }, shouldFocusError: false })
  const submit = useSubmit(form, async ({ current, password }) => {
    const body = { currentPassword: current, newPassword: password }
    await callApi('/auth/change-password', { method: 'POST', body })
    form.reset()
    setSaved(true)
    await queryClient.invalidateQueries({ queryKey: SESSIONS_KEY })
  })
  const { errors, isDirty, isSubmitting } = form.formState
  return (
    <Card title="Password" about="Changing the password ends all other sessions.">
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <FormSummary form={form} />
        {/* Tells password managers which user the password belongs to. */}
        <input type="email" autoComplete="username" value={person.email} readOnly hidden />
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <Field label="Current password" error={errors.current?.message}>
            {(ids) => (
              <PasswordInput
                {...ids}
                {...form.register('current', { required: 'Enter your current password.' })}
                autoComplete="current-password"
              />
            )}
          </Field>
          <NewPasswordField
            label="New password"
            input={form.register('password', NEW_PASSWORD_RULES)}
            value={form.watch('password')}
            error={errors.password?.message}
          />
        </div>
        <SaveLine isDirty={isDirty} isBusy={isSubmitting} isSaved={isSaved} label="Change password" />
      </form>
    </Card>
  )
}

function SessionsCard() {
  const query = useQuery(sessionsQuery)
  const sessions = query.data?.sessions ?? []
  const others = sessions.filter(({ is_current }) => !is_current).length
  return (
    <Card
      title="Sessions"
      about="Devices where you are signed in. Sessions expire after 12 hours of inactivity, or after 7 days."
      actions={others > 0 && <EndOthers count={others} />}
    >
      <PageFrame query={query} failed="The sessions could not be loaded" loading="Loading sessions" lines={2}>
        {() => <SessionTable sessions={sessions} />}
      </PageFrame>
    </Card>
  )
}

const IP_LOOK = 'font-mono text-[0.8125rem] text-soft'

const COLUMNS: Column<SignedInSession>[] = [
  { head: 'Device', cell: (session) => <Device of={session} /> },
  { head: 'IP address', className: IP_LOOK, cell: (session) => session.ip_address ?? 'Unknown' },
  { head: 'Last active', className: 'text-soft', cell: (session) => <RelativeTime at={session.last_seen_at} /> },
  { head: 'Actions', isHeadHidden: true, className: 'text-end', cell: (session) => <EndButton session={session} /> },
]

function SessionTable({ sessions }: { sessions: SignedInSession[] }) {
  return (
    <DataTable
      caption="Your sessions"
      columns={COLUMNS}
      rows={sessions}
      keyOf={({ id }) => id}
      card={(session) => (
        <>
          <Device of={session} />
          <p className={IP_LOOK}>{session.ip_address ?? 'Unknown'}</p>
          <p className="text-soft">
            Last active <RelativeTime at={session.last_seen_at} />
          </p>
          <div>
            <EndButton session={session} />
          </div>
        </>
      )}
    />
  )
}

function Device({ of: session }: { of: SignedInSession }) {
  return (
    <span className="flex flex-wrap items-center gap-2 font-medium">
      {readDevice(session.user_agent)}
      {session.is_current && <Badge tone="accent">Current session</Badge>}
    </span>
  )
}

function EndButton({ session }: { session: SignedInSession }) {
  const end = useEnd(() => callApi(`/sessions/${session.id}`, { method: 'DELETE' }), 'Session ended.')
  if (session.is_current) return null
  return (
    <Button
      size="sm"
      busy={end.isPending}
      aria-label={`End session: ${readDevice(session.user_agent)}`}
      onClick={() => end.mutate()}
    >
      End session
    </Button>
  )
}

function EndOthers({ count }: { count: number }) {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  const end = useEnd(() => callApi('/sessions', { method: 'DELETE' }).finally(close), 'Other sessions ended.')
  return (
    <>
      <Button size="sm" onClick={() => setOpen(true)}>
        End other sessions
      </Button>
      <ConfirmDialog
        open={isOpen}
        onCancel={close}
        onConfirm={() => end.mutate()}
        title="End all other sessions?"
        confirm="End sessions"
        busy={end.isPending}
        danger
      >
        <p>
          You are signed out on {formatCount(count, 'other device')} and stay signed in here. API keys keep working.
        </p>
      </ConfirmDialog>
    </>
  )
}

function useEnd(end: () => Promise<unknown>, done: string) {
  const queryClient = useQueryClient()
  const toasts = useToasts()
  return useMutation({
    mutationFn: end,
    onSuccess: () => toasts.done(done),
    onError: (error) => toasts.failed(describeError(asRequestFailed(error))),
    onSettled: () => queryClient.invalidateQueries({ queryKey: SESSIONS_KEY }),
  })
}

const BROWSERS: [RegExp, string][] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const SYSTEMS: [RegExp, string][] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/CrOS/, 'ChromeOS'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
]

/** Browser and operating system of a user agent string. */
function readDevice(userAgent: string | null): string {
  const find = (known: [RegExp, string][]) => known.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1]
  const browser = find(BROWSERS)
  const system = find(SYSTEMS)
  if (browser && system) return `${browser} on ${system}`
  return browser ?? system ?? 'Unknown device'
}

type SignedInSession = Sessions['sessions'][number]

const SESSIONS_KEY = ['sessions'] as const

/** The sessions of the user. */
const sessionsQuery = queryOptions({
  queryKey: SESSIONS_KEY,
  queryFn: ({ signal }) => callApi<Sessions>('/sessions', { signal }),
})
