import type { Notice } from '@probity/contract/notices'

/** What we write to people. The link is the reason for each of them. */
export type Letter = {
  kind: 'verification' | 'reset' | 'existing_account' | 'invitation' | Notice
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
    lines: [`Hello ${name},`, 'please confirm that this address is yours. The link works for one hour.'],
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
      `Hello ${name},`,
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
      `Hello ${name},`,
      'somebody, hopefully you, tried to sign up with this address, which has an account already. If you do not know the password any more, ask for a new one where you sign in.',
    ],
    action: 'Sign in',
    link,
  }
}

export function invitationLetter(email: string, inviter: string, organisation: string, link: string): Letter {
  return {
    kind: 'invitation',
    to: email,
    subject: `${inviter} invites you to ${organisation}`,
    lines: ['Hello,', `${inviter} invites you to join ${organisation}. The link works for two days.`],
    action: 'Look at the invitation',
    link,
  }
}
