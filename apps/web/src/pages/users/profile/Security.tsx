import { PasswordCard } from './PasswordCard.tsx'
import { SecondFactorCard } from './SecondFactorCard.tsx'
import { SessionsCard } from './SessionsCard.tsx'

export function Security() {
  return (
    <>
      <PasswordCard />
      <SecondFactorCard />
      <SessionsCard />
    </>
  )
}
