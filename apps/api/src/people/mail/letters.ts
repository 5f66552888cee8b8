import type { Notice } from '@probity/contract/notices'
import { nameInEmail } from './name-in-email.ts'

/** What we write to people. The link is the reason for each of them. */
export type Letter = {
  kind: 'verification' | 'reset' | 'existing_account' | 'invitation' | 'email_change' | 'email_changed' | Notice
  to: string
  subject: string
  lines: string[]
  link: string
  action: string
}

type Addressee = { email: string; name: string }

export function verificationLetter({ email, name }: Addressee, link: string): Letter {
  return {
    kind: 'verification',
    to: email,
    subject: 'Confirm your email address',
    lines: [
      `Hello ${nameInEmail(name)},`,
      'please confirm that this address is yours. The page asks for the password that was chosen at sign-up. The link works for one hour.',
      'If you did not sign up, ignore this email. Nobody can sign in with this address without the link.',
    ],
    action: 'Confirm the address',
    link,
  }
}

export function resetLetter({ email, name }: Addressee, link: string): Letter {
  return {
    kind: 'reset',
    to: email,
    subject: 'Choose a new password',
    lines: [
      `Hello ${nameInEmail(name)},`,
      'somebody, hopefully you, asked for a new password. The link works for one hour and once. If it was not you, nothing has changed.',
    ],
    action: 'Choose a password',
    link,
  }
}

export function existingAccountLetter({ email, name }: Addressee, link: string): Letter {
  return {
    kind: 'existing_account',
    to: email,
    subject: 'You have an account already',
    lines: [
      `Hello ${nameInEmail(name)},`,
      'somebody, hopefully you, tried to sign up with this address, which has an account already. If you do not know the password any more, ask for a new one where you sign in.',
    ],
    action: 'Sign in',
    link,
  }
}

/** To the new address, which the link confirms. */
export function emailChangeLetter({ email, name }: Addressee, link: string): Letter {
  return {
    kind: 'email_change',
    to: email,
    subject: 'Confirm your new email address',
    lines: [
      `Hello ${nameInEmail(name)},`,
      'please confirm that you want to sign in with this address from now on. The page asks for your password. The link works for one hour.',
      'If you did not ask for this, ignore this email. Nothing changes without the link.',
    ],
    action: 'Confirm the address',
    link,
  }
}

/** To the old address, after the change. */
export function emailChangedLetter({ email, name }: Addressee, link: string): Letter {
  return {
    kind: 'email_changed',
    to: email,
    subject: 'Your email address was changed',
    lines: [
      `Hello ${nameInEmail(name)},`,
      'the email address of your profile was changed. This address can no longer be used to sign in.',
      'If you did not change it, tell an owner of your account or the operator of the service at once.',
    ],
    action: 'Sign in',
    link,
  }
}

export function invitationLetter(email: string, inviter: string, organisation: string, link: string): Letter {
  const [from, to] = [nameInEmail(inviter), nameInEmail(organisation)]
  return {
    kind: 'invitation',
    to: email,
    subject: `${from} invites you to ${to}`,
    lines: [
      'Hello,',
      `${from} invites you to join ${to}. The link works for two days.`,
      'If you do not know the sender, ignore this email.',
    ],
    action: 'Look at the invitation',
    link,
  }
}
