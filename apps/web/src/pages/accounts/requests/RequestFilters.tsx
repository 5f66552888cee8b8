import { useQuery } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import { useEffect, useId, useState } from 'react'
import { useScene } from '../../../session/scene.ts'
import { Button } from '../../../ui/Button.tsx'
import { SelectInput, TextInput } from '../../../ui/Field.tsx'
import { keyLabel } from '../usage/key-label.ts'
import { usageQuery } from '../usage/usage-query.ts'
import { CLASS_LABELS, isMinute, isStatusClass, type RequestsSearch, readRequestId } from './requests-search.ts'
import { useRequestsSearch } from './use-requests-search.ts'

/** Filters are kept in the URL. A change starts at the newest request. */
export function RequestFilters({ codes }: { codes: string[] }) {
  const { search, turn } = useRequestsSearch()
  const { cursor: _, request: __, class: statusClass = '', code = '', ...rest } = search
  const narrow = (change: RequestsSearch) =>
    turn(
      { ...rest, ...(isStatusClass(statusClass) && { class: statusClass }), ...(code && { code }), ...change },
      { replace: true },
    )
  return (
    <search className="grid grid-cols-1 gap-2 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-[1.4fr_1.2fr_1.2fr_1.4fr_1.4fr]">
      <SelectInput
        aria-label="Status class"
        value={statusClass}
        onChange={({ target: { value } }) => narrow(isStatusClass(value) ? { class: value } : without('class'))}
      >
        <option value="">All statuses</option>
        {Object.entries(CLASS_LABELS).map(([value, word]) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </SelectInput>
      <SelectInput
        aria-label="Problem code"
        value={code}
        onChange={({ target: { value } }) => narrow(value ? { code: value } : without('code'))}
      >
        <option value="">All codes</option>
        {[...new Set([...codes, ...(code ? [code] : [])])].map((value) => (
          <option key={value}>{value}</option>
        ))}
      </SelectInput>
      <KeyFilter chosen={search.key} onChoose={(key) => narrow(key ? { key } : without('key'))} />
      <TimeInput label="From" value={search.from} onChange={(from) => narrow(from ? { from } : without('from'))} />
      <TimeInput label="To" value={search.to} onChange={(to) => narrow(to ? { to } : without('to'))} />
    </search>
  )
}

/** An undefined value removes the parameter from the URL. */
function without(name: keyof RequestsSearch): RequestsSearch {
  return { [name]: undefined }
}

/** Keys used in the last 30 days, and the key in the URL. */
function KeyFilter({ chosen = '', onChoose }: { chosen: string | undefined; onChoose(key: string): void }) {
  const { data } = useQuery(usageQuery(useScene(), 30, 'key'))
  const used = (data?.keys ?? []).flatMap((key) =>
    key.key_id === null ? [] : [{ id: key.key_id, label: keyLabel(key) }],
  )
  const isMissing = chosen !== '' && !used.some(({ id }) => id === chosen)
  const choices = isMissing ? [...used, { id: chosen, label: keyLabel({ key_id: chosen, key_name: null }) }] : used
  return (
    <SelectInput aria-label="Key" value={chosen} onChange={({ target }) => onChoose(target.value)}>
      <option value="">All keys</option>
      {choices.map(({ id, label }) => (
        <option key={id} value={id}>
          {label}
        </option>
      ))}
    </SelectInput>
  )
}

type TimeProps = { label: string; value: string | undefined; onChange(minute: string): void }

function TimeInput({ label, value = '', onChange }: TimeProps) {
  const id = useId()
  const [text, setText] = useState(value)
  // The URL also changes by back, forward and links that clear it.
  useEffect(() => setText(value), [value])
  const type = (minute: string) => {
    setText(minute)
    if (minute === '' || isMinute(minute)) onChange(minute) // a partly typed year is not a valid minute
  }
  return (
    <div className="flex items-center gap-2">
      <label htmlFor={id} className="w-10 shrink-0 text-[0.8125rem] text-soft lg:w-auto">
        {label}
      </label>
      <TextInput
        id={id}
        type="datetime-local"
        value={text}
        onChange={({ target }) => type(target.value)}
        className="min-w-0"
      />
    </div>
  )
}

/** Opens a request by its ID, which may be pasted with surrounding text. */
export function FindRequest() {
  const { search, turn } = useRequestsSearch()
  const id = useId()
  const [text, setText] = useState('')
  const [isUnread, setUnread] = useState(false)
  const find = (pasted: string) => {
    const request = readRequestId(pasted)
    setUnread(request === undefined)
    if (request) turn({ ...search, request })
  }
  return (
    <form
      className="flex w-full flex-col gap-1 sm:w-auto"
      onSubmit={(event) => {
        event.preventDefault()
        find(text)
      }}
    >
      <div className="flex items-center gap-2">
        <TextInput
          aria-label="Request ID"
          placeholder="req_…"
          value={text}
          aria-invalid={isUnread}
          aria-describedby={isUnread ? id : undefined}
          onChange={({ target }) => {
            setText(target.value)
            setUnread(false)
          }}
          className="min-w-0 font-mono text-[0.8125rem] sm:w-64"
        />
        <Button type="submit" icon={<Search className="size-4" aria-hidden="true" />}>
          Find request
        </Button>
      </div>
      {isUnread && (
        <p id={id} role="alert" className="text-[0.8125rem] text-invalid">
          No request ID found. A request ID consists of req_ and 36 characters.
        </p>
      )}
    </form>
  )
}
