import Type from 'typebox'
import { STATUSES, SUB_STATUSES } from './status.ts'
import { openList, valueList } from './value-list.ts'

const OPEN_LIST = 'The list is open: treat a value you do not know like `unknown`.'

/** Plain strings on purpose: a closed enum would break clients on the day a value is added. */
export const StatusField = Type.String({
  title: 'Validation status',
  ...openList(STATUSES),
  description: `The verdict. ${OPEN_LIST}${valueList(STATUSES)}`,
})

export const SubStatusField = Type.String({
  title: 'Validation sub status',
  ...openList(SUB_STATUSES),
  description: `The reason for the verdict; empty when the status is \`valid\`. The list is open: go by \`status\` when you meet a reason you do not know.${reasonList()}`,
})

function reasonList(): string {
  const rows = Object.entries(SUB_STATUSES).map(([reason, { status, meaning }]) => [reason, `(${status}) ${meaning}`])
  return valueList(Object.fromEntries(rows))
}
