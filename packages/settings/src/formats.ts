import { Format } from 'typebox/format'

/** A connection URL of one of the named kinds. For the settings' own schemas: formats are checked by name. */
export const URL_FORMATS = { postgres: 'postgres-url', redis: 'redis-url' } as const

Format.Set(URL_FORMATS.postgres, (text) => /^postgres(ql)?:\/\/./.test(text) && URL.canParse(text))
Format.Set(URL_FORMATS.redis, (text) => /^rediss?:\/\/./.test(text) && URL.canParse(text))

/** A setting that names several things, separated by commas. */
export function readList(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}
