import { withoutSecrets } from '@probity/contract/constants/text'
import { type DestinationStream, type Logger, pino } from 'pino'

/**
 * The log of the process: one JSON object per line. Only selected fields are logged, never a request, a body or a URL. The final redaction
 * of
 * each line also covers texts from elsewhere, such as database error messages.
 */
export function openLog(level: string, destination?: DestinationStream): Logger {
  const options = { level, base: null, hooks: { streamWrite: withoutSecrets } }
  return destination ? pino(options, destination) : pino(options)
}
