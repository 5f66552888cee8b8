import Type from 'typebox'
import { valueList } from './value-list.ts'

/** How far a validation went. */
const DEPTHS = {
  dns: 'the verdict rests on the address itself, on DNS and on our lists: it was clear before a mail server was asked, or none was asked. A validation that did not start (`not_started`) has this value, too.',
  smtp: 'the mail server has a part in it: it was asked, or what it is known to have said before counts.',
} as const

export const DepthField = Type.Enum(['dns', 'smtp'], {
  type: 'string',
  description: `How far the validation went.${valueList(DEPTHS)}`,
  examples: ['smtp', 'dns'],
})
