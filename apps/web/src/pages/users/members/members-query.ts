import type { Role } from '@probity/contract/constants/users'
import { queryOptions } from '@tanstack/react-query'
import { callApi } from '../../../session/client.ts'
import type { Scene } from '../../../session/workspace.ts'

export type Member = {
  id: string
  userId: string
  role: Role
  createdAt: string
  user: { id: string; name: string; email: string }
}

/** A pending invitation. */
export type OpenInvitation = { id: string; email: string; role: Role; status: string; expiresAt: string }

export const membersKey = ({ membership }: Scene) => [membership.account_id, 'members'] as const
export const invitationsKey = ({ membership }: Scene) => [membership.account_id, 'invitations'] as const

const MEMBERS_MAX = 500

export function membersQuery(scene: Scene) {
  const { account_id: id } = scene.membership
  return queryOptions({
    queryKey: membersKey(scene),
    queryFn: async ({ signal }) => {
      const path = `/auth/organization/list-members?organizationId=${id}&limit=${MEMBERS_MAX}`
      const { members } = await callApi<{ members: Member[] }>(path, { signal })
      return members.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt))
    },
  })
}

export function invitationsQuery(scene: Scene) {
  const { account_id: id } = scene.membership
  return queryOptions({
    queryKey: invitationsKey(scene),
    queryFn: async ({ signal }) => {
      const path = `/auth/organization/list-invitations?organizationId=${id}`
      const invitations = await callApi<OpenInvitation[]>(path, { signal })
      return invitations.filter(({ status }) => status === 'pending')
    },
  })
}
