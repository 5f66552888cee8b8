import Type from 'typebox'
import { STATUSES, SUB_STATUSES } from './status.ts'
import { openList, valueList } from './value-list.ts'

const OPEN_LIST = 'Values may be added: treat unrecognized values as `unknown`.'

/** Plain strings on purpose: a closed enum would break clients on the day a value is added. */
export const StatusField = Type.String({
  title: 'Validation status',
  ...openList(STATUSES),
  description: `The verdict. ${OPEN_LIST}${valueList(STATUSES)}`,
})

export const SubStatusField = Type.String({
  title: 'Validation sub status',
  ...openList(SUB_STATUSES),
  description: `The reason for the verdict; empty if the status is \`valid\`. Values may be added: use \`status\` for unrecognized values.${reasonList()}`,
})

function reasonList(): string {
  const rows = Object.entries(SUB_STATUSES).map(([reason, { status, meaning }]) => [reason, `(${status}) ${meaning}`])
  return valueList(Object.fromEntries(rows))
}
