import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ask } from '../../../session/ask.ts'
import { useSecretInAddress } from '../../../session/secret-in-address.ts'
import { refreshSession } from '../../../session/sign-in.ts'
import { OpenPage } from '../../../shell/OpenPage.tsx'
import { BrokenLink } from './BrokenLink.tsx'
import { ConfirmAddressForm } from './ConfirmAddressForm.tsx'

/** Confirms the address of a new user and signs in. */
export function VerifyEmailPage() {
  const token = useSecretInAddress('token')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  if (token === undefined) return <BrokenLink />
  async function confirm(password: string) {
    await ask('/verify-email', { method: 'POST', body: { token, password } })
    await refreshSession(queryClient)
    await navigate({ to: '/quick-start', replace: true })
  }
  return (
    <OpenPage
      title="Confirm your email address"
      about="Enter the password that you chose when you signed up. If you did not sign up, close this page."
    >
      <ConfirmAddressForm onPassword={confirm} />
    </OpenPage>
  )
}
