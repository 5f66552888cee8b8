import Type from 'typebox'

/** How many there are of something. */
export function count(description: string, example: number) {
  return Type.Integer({ minimum: 0, description, examples: [example] })
}
