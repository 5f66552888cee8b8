import Type from 'typebox'
import { valueList } from './value-list.ts'

/** Depth of a validation. */
const DEPTHS = {
  dns: 'the verdict is based on the address, DNS and domain lists. No SMTP probe was needed, or none was made. Also the value of validations that did not start (`not_started`).',
  smtp: 'the verdict is based on an SMTP probe, of this request or an earlier one.',
} as const

export const DepthField = Type.Enum(['dns', 'smtp'], {
  type: 'string',
  description: `Depth of the validation.${valueList(DEPTHS)}`,
  examples: ['smtp', 'dns'],
})
