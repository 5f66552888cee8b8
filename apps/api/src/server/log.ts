import { withoutSecrets } from '@probity/contract/constants/text'
import { type DestinationStream, type Logger, pino } from 'pino'

/**
 * The process's log: one JSON object per line. We log chosen fields and never a request, a body or a URL; the pass over the
 * finished line is a second lock, for texts that are not ours, such as a database's error message.
 */
export function openLog(level: string, destination?: DestinationStream): Logger {
  const options = { level, base: null, hooks: { streamWrite: withoutSecrets } }
  return destination ? pino(options, destination) : pino(options)
}
