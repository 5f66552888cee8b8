import { type EmailMessage, nameInEmail } from '@probity/email/send'

type Addressee = { email: string; name: string }

export function verificationEmail({ email, name }: Addressee, link: string): EmailMessage {
  return {
    kind: 'verification',
    to: email,
    subject: 'Confirm your email address',
    lines: [
      `Hello ${nameInEmail(name)},`,
      'Please confirm that this email address is yours. You need the password that you chose at sign-up. The link expires in one hour.',
      'If you did not sign up, ignore this email. The address cannot be used to sign in until it is confirmed.',
    ],
    action: 'Confirm email address',
    link,
  }
}

export function resetEmail({ email, name }: Addressee, link: string): EmailMessage {
  return {
    kind: 'reset',
    to: email,
    subject: 'Reset your password',
    lines: [
      `Hello ${nameInEmail(name)},`,
      'We received a request to reset your password. The link expires in one hour and can be used once. If you did not request it, ignore this email. Your password does not change.',
    ],
    action: 'Reset password',
    link,
  }
}

export function existingAccountEmail({ email, name }: Addressee, link: string): EmailMessage {
  return {
    kind: 'existing_account',
    to: email,
    subject: 'Your email address is already registered',
    lines: [
      `Hello ${nameInEmail(name)},`,
      'We received a request to sign up with this email address, which is already registered. Sign in instead. If you forgot your password, you can reset it on the sign-in page. If you did not request it, ignore this email.',
    ],
    action: 'Sign in',
    link,
  }
}

/** To the new address, which the link confirms. */
export function emailChangeEmail({ email, name }: Addressee, link: string): EmailMessage {
  return {
    kind: 'email_change',
    to: email,
    subject: 'Confirm your new email address',
    lines: [
      `Hello ${nameInEmail(name)},`,
      'We received a request to change the email address of your profile to this address. To confirm the change, open the link and enter your password. The link expires in one hour.',
      'If you did not request it, ignore this email. Your email address does not change.',
    ],
    action: 'Confirm email address',
    link,
  }
}

/** To the old address, after the change. */
export function emailChangedEmail({ email, name }: Addressee, link: string): EmailMessage {
  return {
    kind: 'email_changed',
    to: email,
    subject: 'Your email address was changed',
    lines: [
      `Hello ${nameInEmail(name)},`,
      'The email address of your profile was changed. This address can no longer be used to sign in.',
      'If you did not change it, contact an owner of your account or the operator of the service immediately.',
    ],
    action: 'Sign in',
    link,
  }
}

export type SecondFactorEvent = 'second_factor_on' | 'second_factor_off' | 'recovery_codes_created' | 'wrong_codes'

const SECOND_FACTOR_EVENTS: Record<SecondFactorEvent, { subject: string; text: string }> = {
  second_factor_on: {
    subject: 'Two-factor authentication was enabled',
    text: 'Two-factor authentication was enabled for your profile. Sign-in now requires a code from the authenticator app.',
  },
  second_factor_off: {
    subject: 'Two-factor authentication was disabled',
    text: 'Two-factor authentication was disabled for your profile, with your password and a code. Sign-in now requires the password only.',
  },
  recovery_codes_created: {
    subject: 'New recovery codes were created',
    text: 'New recovery codes were created for your profile, with your password and a code. The previous recovery codes no longer work.',
  },
  wrong_codes: {
    subject: 'A session was ended after wrong 2FA codes',
    text: 'More than five wrong 2FA codes were entered in signed-in sessions of your profile within 15 minutes. The last session that sent one was ended.',
  },
}

/** To the user, after a change of the second factor or after too many wrong codes. */
export function secondFactorEmail({ email, name }: Addressee, event: SecondFactorEvent, link: string): EmailMessage {
  const { subject, text } = SECOND_FACTOR_EVENTS[event]
  return {
    kind: event,
    to: email,
    subject,
    lines: [
      `Hello ${nameInEmail(name)},`,
      text,
      'If it was not you, change your password and end your other sessions immediately.',
    ],
    action: 'Open security settings',
    link,
  }
}

export function invitationEmail(email: string, inviter: string, organisation: string, link: string): EmailMessage {
  const [from, to] = [nameInEmail(inviter), nameInEmail(organisation)]
  return {
    kind: 'invitation',
    to: email,
    subject: `${from} invited you to ${to}`,
    lines: [
      'Hello,',
      `${from} invited you to join the account ${to}. The link expires in two days.`,
      'If you do not know the sender, ignore this email.',
    ],
    action: 'View invitation',
    link,
  }
}
