import Type from 'typebox'
import { nullableInteger } from './nullable.ts'

/** How many there are of something. */
export function count(description: string, example: number) {
  return Type.Integer({ minimum: 0, description, examples: [example] })
}

export function nullableCount(description: string, example: number) {
  return nullableInteger({ minimum: 0, description, examples: [example, null] })
}
