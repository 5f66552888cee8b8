import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ask } from '../../../session/ask.ts'
import { useSecretInAddress } from '../../../session/secret-in-address.ts'
import { sessionQuery } from '../../../session/session.ts'
import { OpenPage } from '../../../shell/OpenPage.tsx'
import { buttonClass } from '../../../ui/Button.tsx'
import { BrokenLink } from './BrokenLink.tsx'
import { ConfirmAddressForm } from './ConfirmAddressForm.tsx'

/** Confirms the new address of a profile. */
export function ConfirmEmailPage() {
  const token = useSecretInAddress('token')
  const queryClient = useQueryClient()
  const [isDone, setDone] = useState(false)
  if (isDone) return <Changed />
  if (token === undefined) return <BrokenLink />
  async function confirm(password: string) {
    await ask('/email/confirm', { method: 'POST', body: { token, password } })
    await queryClient.invalidateQueries(sessionQuery)
    setDone(true)
  }
  return (
    <OpenPage
      title="Confirm your new email address"
      about="Enter your password. After that, you sign in with this address."
    >
      <ConfirmAddressForm onPassword={confirm} />
    </OpenPage>
  )
}

function Changed() {
  return (
    <OpenPage title="Email address changed" about="Sign in with the new address from now on.">
      <Link to="/" className={buttonClass('primary', 'lg', 'w-full')}>
        Continue
      </Link>
    </OpenPage>
  )
}
