import { DAYS_MAX } from '@probity/contract/constants/limits'
import type { Days } from '@probity/database/accounts/usage'
import { Problem } from '../http/problem.ts'

const DAYS_DEFAULT = 30
const DAY_MS = 86_400_000

/** The days that are meant: up to today, and thirty of them, where nothing else is said. */
export function readDays({ from, to }: { from?: string; to?: string }, now = new Date()): Days {
  const last = to ?? dayOf(now.getTime())
  const first = from ?? dayOf(Date.parse(last) - (DAYS_DEFAULT - 1) * DAY_MS)
  const days = (Date.parse(last) - Date.parse(first)) / DAY_MS + 1
  if (days < 1) throw fault('`from` must not be a later day than `to`.')
  if (days > DAYS_MAX) throw fault(`A period has at most ${DAYS_MAX} days.`)
  return { from: first, to: last }
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

function fault(detail: string): Problem {
  return new Problem('invalid_request', detail, { errors: [{ pointer: '/from', detail }] })
}
