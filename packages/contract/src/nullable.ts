import type { TNumberOptions, TStringOptions } from 'typebox'
import Type from 'typebox'

// `type: ['string', 'null']` and not anyOf: a validator that coerces types turns null into '' or 0 at the first branch
// of an anyOf, so that "no cap" would become "a cap of nothing".

export function nullableString(options: TStringOptions) {
  return Type.Unsafe<string | null>({ type: ['string', 'null'], ...options })
}

export function nullableNumber(options: TNumberOptions) {
  return Type.Unsafe<number | null>({ type: ['number', 'null'], ...options })
}

export function nullableInteger(options: TNumberOptions) {
  return Type.Unsafe<number | null>({ type: ['integer', 'null'], ...options })
}
