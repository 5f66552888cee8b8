import type { Role } from '@probity/contract/constants/users'
import type { InstallationInfo, Invitation, Session, Sessions } from '@probity/contract/schemas/users'
import type { Member, OpenInvitation } from '../src/pages/users/members/members-query.ts'
import type { OwnInvitation } from '../src/shell/NoAccount.tsx'
import type { Api } from './test-api.ts'
import { inHours } from './test-examples.ts'

const ACCOUNT_ID = '0198e4a7-20d9-7b58-a3c6-95f1e80b4d72'

export const INSTALLATION: InstallationInfo = {
  sign_up: 'open',
  setup_needed: false,
  public_url: 'https://probity.example',
  sandbox_key: null,
  mail: true,
}

const ADA: Session['person'] = {
  id: '0198e4a7-20d0-7c11-8d1e-2f6a7b8c9d01',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  email_verified: true,
  two_factor: false,
  is_operator: false,
  may_create_accounts: true,
}

/** The session of a member of one account. */
export function sessionOf(role: Role, person: Partial<Session['person']> = {}): Session {
  const membership = { account_id: ACCOUNT_ID, slug: 'example', name: 'Example Ltd', role }
  return { person: { ...ADA, ...person }, operator_access: null, memberships: [membership] }
}

export const OPERATOR_SESSION: Session = {
  ...sessionOf('owner', { is_operator: true, two_factor: true }),
  operator_access: 'allowed',
}

export const SIGNED_OUT: Api = {
  'GET /session': () => Response.json({ code: 'unauthenticated', status: 401 }, { status: 401 }),
  'GET /welcome': INSTALLATION,
}

export const MEMBERS: Member[] = [
  {
    id: 'member-1',
    userId: ADA.id,
    role: 'owner',
    createdAt: '2026-06-01T09:00:00.000Z',
    user: { id: ADA.id, name: ADA.name, email: ADA.email },
  },
  {
    id: 'member-2',
    userId: '0198e4a7-20d0-7c11-8d1e-2f6a7b8c9d02',
    role: 'viewer',
    createdAt: '2026-07-01T09:00:00.000Z',
    user: { id: '0198e4a7-20d0-7c11-8d1e-2f6a7b8c9d02', name: 'Grace Hopper', email: 'grace@example.com' },
  },
]

export const OPEN_INVITATION: OpenInvitation = {
  id: '0198e4a7-20d0-7c11-8d1e-2f6a7b8c9d03',
  email: 'alan@example.com',
  role: 'marketer',
  status: 'pending',
  expiresAt: inHours(40),
}

export const OWN_INVITATION: OwnInvitation = {
  id: OPEN_INVITATION.id,
  role: 'marketer',
  organizationName: 'Bletchley',
  expiresAt: inHours(40),
}

export const INVITATION: Invitation = {
  organisation: 'Example Ltd',
  role: 'marketer',
  inviter: 'Grace Hopper',
  email: ADA.email,
  expires_at: inHours(40),
  link_verifies: true,
}

const CHROMIUM = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'

export const SESSIONS: Sessions = {
  sessions: [
    {
      id: '0198e4a7-20d0-7c11-8d1e-2f6a7b8c9d04',
      ip_address: '192.0.2.17',
      user_agent: CHROMIUM,
      created_at: inHours(-3),
      last_seen_at: inHours(0),
      is_current: true,
    },
    {
      id: '0198e4a7-20d0-7c11-8d1e-2f6a7b8c9d05',
      ip_address: null,
      user_agent: null,
      created_at: inHours(-30),
      last_seen_at: inHours(-20),
      is_current: false,
    },
  ],
}
