import type { BulkJob } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { ListFilter } from 'lucide-react'
import { VERDICTS, verdictLook } from '../../../labels/verdict.tsx'
import { useScene } from '../../../session/workspace.ts'
import { Button } from '../../../ui/Button.tsx'
import { Field, SelectInput, TextInput, useTyping } from '../../../ui/Field.tsx'
import type { ListSearch } from '../search.ts'
import { providerWord, reasonWord } from './job-labels.ts'
import { breakdownQuery } from './queries.ts'
import { hasFilter, useListSearch, withFilter } from './SearchLink.tsx'

/** The empty string is the value for unknown providers, so no filter needs another one. */
const ANY = '*'

type FilterName = 'search' | 'status' | 'sub_status' | 'provider' | 'domain'

const FILTER_ID = 'results-filter'

type FilterToggle = { isOpen: boolean; onToggle(): void }

/** Opens and closes the filters on a phone, where they would fill the first screen. */
export function FilterButton({ isOpen, onToggle }: FilterToggle) {
  const { search } = useListSearch()
  const count = Object.keys(filtersIn(search)).length
  return (
    <Button
      size="sm"
      className="aria-expanded:bg-hover sm:hidden"
      aria-expanded={isOpen}
      aria-controls={FILTER_ID}
      icon={<ListFilter className="size-4" aria-hidden="true" />}
      onClick={onToggle}
    >
      Filter{count > 0 && ` (${count})`}
    </Button>
  )
}

/** The filters of the table, kept in the URL. They apply at once, typed text after a pause. */
export function ResultsFilter({ job, isOpen }: { job: BulkJob; isOpen: boolean }) {
  const { search, turn } = useListSearch()
  const set = (name: FilterName, value: string | undefined, options?: { replace: boolean }) =>
    turn((now) => withFilter(now, filtersIn({ ...now, [name]: value })), options)
  const choose = (name: FilterName) => (value: string) => set(name, value === ANY ? undefined : value)
  // A text that is completed later does not become another entry of the history.
  const type = (name: 'search' | 'domain') => (text: string) =>
    set(name, text.trim() || undefined, { replace: search[name] !== undefined })
  return (
    <form
      id={FILTER_ID}
      aria-label="Filter the results"
      onSubmit={(event) => event.preventDefault()}
      className={clsx(
        'mb-4 grid grid-cols-1 items-end gap-3 sm:grid-cols-2 lg:grid-cols-[2fr_1fr_1.4fr_1.2fr_1.4fr_auto]',
        !isOpen && 'max-sm:hidden',
      )}
    >
      <Typed label="Address contains" value={search.search} maxLength={320} onChange={type('search')} />
      <Choices job={job} search={search} choose={choose} />
      <Typed label="Domain" value={search.domain} maxLength={255} onChange={type('domain')} />
      {hasFilter(search) && (
        <Button look="quiet" onClick={() => turn((now) => withFilter(now, {}))}>
          Clear
        </Button>
      )}
    </form>
  )
}

/** The filters that are set. */
function filtersIn({ search, status, sub_status, provider, domain }: ListSearch): ListSearch {
  const all = Object.entries({ search, status, sub_status, provider, domain })
  return Object.fromEntries(all.filter(([, text]) => text !== undefined)) as ListSearch
}

type TypedProps = { label: string; value: string | undefined; maxLength: number; onChange(text: string): void }

function Typed({ label, value = '', maxLength, onChange }: TypedProps) {
  const { text, type } = useTyping(value, onChange)
  return (
    <Field label={label}>
      {(ids) => (
        <TextInput
          {...ids}
          type="search"
          value={text}
          maxLength={maxLength}
          onChange={({ target }) => type(target.value)}
        />
      )}
    </Field>
  )
}

type ChoicesProps = {
  job: BulkJob
  search: ListSearch
  choose(name: 'status' | 'sub_status' | 'provider'): (value: string) => void
}

/** Reasons and providers are those that occur in this list. */
function Choices({ job, search, choose }: ChoicesProps) {
  const { data } = useQuery(breakdownQuery(useScene(), job))
  const reasons = [...new Set(data?.by_reason.map((row) => row.sub_status).filter((reason) => reason !== ''))]
  const providers = data?.by_provider.map((row) => row.provider) ?? []
  return (
    <>
      <Choice label="Verdict" chosen={search.status} values={[...VERDICTS]} onChoose={choose('status')}>
        {(statuses) => wordsOf(statuses, (status) => verdictLook(status).word)}
      </Choice>
      <Choice label="Reason" chosen={search.sub_status} values={reasons} onChoose={choose('sub_status')}>
        {(reason) => wordsOf(reason, reasonWord)}
      </Choice>
      <Choice label="Provider" chosen={search.provider} values={providers} onChoose={choose('provider')}>
        {providerWord}
      </Choice>
    </>
  )
}

/** A link may contain several values, separated by commas. */
function wordsOf(values: string, word: (value: string) => string): string {
  return values.split(',').map(word).join(', ')
}

type ChoiceProps = {
  label: string
  chosen: string | undefined
  values: string[]
  onChoose(value: string): void
  children(value: string): string
}

function Choice({ label, chosen, values, onChoose, children }: ChoiceProps) {
  // The URL may contain a value that does not occur in this list; it is shown anyway.
  const all = chosen === undefined || values.includes(chosen) ? values : [chosen, ...values]
  return (
    <Field label={label}>
      {(ids) => (
        <SelectInput {...ids} value={chosen ?? ANY} onChange={({ target }) => onChoose(target.value)}>
          <option value={ANY}>Any</option>
          {all.map((value) => (
            <option key={value} value={value}>
              {children(value)}
            </option>
          ))}
        </SelectInput>
      )}
    </Field>
  )
}
