import type { FastifyRequest } from 'fastify'
import { Problem } from '../../http/problem.ts'

/** For what concerns all of an organisation, and everybody in it. */
export function refuseNonOwner({ member }: FastifyRequest): void {
  if (member?.role !== 'owner') throw new Problem('missing_role')
}
