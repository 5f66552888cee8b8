import { withoutSecrets } from '@probity/contract/constants/text'
import { type DestinationStream, type Logger, pino } from 'pino'

/** The log of the process: one JSON object per line, with selected fields and a final redaction of keys and addresses. */
export function openLog(level: string, destination?: DestinationStream): Logger {
  const options = { level, base: null, hooks: { streamWrite: withoutSecrets } }
  return destination ? pino(options, destination) : pino(options)
}
