import { clsx } from 'clsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import type { Key } from './keys-query.ts'

const IDLE_AFTER_MS = 30 * 86_400_000

/** Whether a key is in use, and when it was last used. */
export function KeyUse({ last_used_at: at }: Pick<Key, 'last_used_at'>) {
  const isIdle = at !== null && Date.now() - Date.parse(at) > IDLE_AFTER_MS
  const word = at === null ? 'Never used' : isIdle ? 'Idle' : 'In use'
  const dot = at === null ? 'bg-unknown-solid' : isIdle ? 'bg-risky-solid' : 'bg-valid-solid'
  return (
    <span className="flex items-center gap-2 whitespace-nowrap">
      <span className={clsx('size-2 shrink-0 rounded-full', dot)} aria-hidden="true" />
      <span>
        {word}
        {at !== null && (
          <span className="block text-xs text-faint">
            <RelativeTime at={at} />
          </span>
        )}
      </span>
    </span>
  )
}
