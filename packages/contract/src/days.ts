import Type from 'typebox'

/** More days than this are not answered for at once. */
export const DAYS_MAX = 366

/** A day as `2026-11-02`. There is a year 0 for the format, and none for PostgreSQL. */
export function dayField(description: string, example: string) {
  return Type.String({ format: 'date', pattern: '^[1-9]', description, examples: [example] })
}
