import { withoutSecrets } from '@probity/contract/constants/text'
import { type DestinationStream, type Logger, pino } from 'pino'

/** The process's log: one JSON object per line, of chosen fields, with a last pass against keys and addresses. */
export function openLog(level: string, destination?: DestinationStream): Logger {
  const options = { level, base: null, hooks: { streamWrite: withoutSecrets } }
  return destination ? pino(options, destination) : pino(options)
}
