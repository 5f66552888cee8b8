import { SelectInput } from '../../ui/Field.tsx'
import { EVENT_TYPES } from '../webhooks/event-words.ts'
import { isState, STATE_WORDS, type WebhookSearch } from '../webhooks/webhook-search.ts'
import { useWebhookSearch } from './use-webhook-search.ts'

/** Whatever is chosen here stands in the address, and begins at the first page. */
export function DeliveryFilters() {
  const { search, turn } = useWebhookSearch()
  const { state = '', type = '' } = search
  const narrow = (chosen: { state: string; type: string }) => turn(filterOf(chosen), { replace: true })
  return (
    <search className="mb-3 flex flex-wrap gap-2">
      <SelectInput
        aria-label="State"
        value={state}
        onChange={({ target }) => narrow({ state: target.value, type })}
        className="w-auto! flex-1 sm:flex-none"
      >
        <option value="">All states</option>
        {Object.entries(STATE_WORDS).map(([value, word]) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </SelectInput>
      <SelectInput
        aria-label="Event"
        value={type}
        onChange={({ target }) => narrow({ state, type: target.value })}
        className="w-auto! flex-1 sm:flex-none"
      >
        <option value="">All events</option>
        {[...new Set([...EVENT_TYPES, ...(type ? [type] : [])])].map((value) => (
          <option key={value} value={value}>
            {value}
          </option>
        ))}
      </SelectInput>
    </search>
  )
}

function filterOf({ state, type }: { state: string; type: string }): WebhookSearch {
  return { ...(isState(state) && { state }), ...(type && { type }) }
}
