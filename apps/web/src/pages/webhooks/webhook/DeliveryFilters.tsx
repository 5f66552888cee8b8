import { SelectInput } from '../../../ui/Field.tsx'
import { EVENT_TYPES } from '../overview/event-words.ts'
import { useWebhookSearch } from './use-webhook-search.ts'
import { isDeliveryStatus, STATUS_WORDS, type WebhookSearch } from './webhook-search.ts'

/** The filters are part of the URL; a change starts at the first page. */
export function DeliveryFilters() {
  const { search, turn } = useWebhookSearch()
  const { status = '', type = '' } = search
  const narrow = (chosen: { status: string; type: string }) => turn(filterOf(chosen), { replace: true })
  return (
    <search className="mb-3 flex flex-wrap gap-2">
      <SelectInput
        aria-label="Status"
        value={status}
        onChange={({ target }) => narrow({ status: target.value, type })}
        className="w-auto! flex-1 sm:flex-none"
      >
        <option value="">All statuses</option>
        {Object.entries(STATUS_WORDS).map(([value, word]) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </SelectInput>
      <SelectInput
        aria-label="Event"
        value={type}
        onChange={({ target }) => narrow({ status, type: target.value })}
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

function filterOf({ status, type }: { status: string; type: string }): WebhookSearch {
  return { ...(isDeliveryStatus(status) && { status }), ...(type && { type }) }
}
