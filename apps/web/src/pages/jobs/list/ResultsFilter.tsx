import type { BulkJob } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { type UseFormRegisterReturn, useForm } from 'react-hook-form'
import { VERDICTS, verdictLook } from '../../../labels/verdict.tsx'
import { useScene } from '../../../session/scene.ts'
import { Button } from '../../../ui/Button.tsx'
import { Field, SelectInput, TextInput } from '../../../ui/Field.tsx'
import type { ListSearch } from './list-search.ts'
import { breakdownQuery } from './queries.ts'
import { providerWord, reasonWord } from './reason.ts'
import { hasFilter, useListSearch, withFilter } from './use-list-search.ts'

/** The empty string is the value for unknown providers, so no filter needs another one. */
const ANY = '*'

type Fields = { search: string; status: string; sub_status: string; provider: string; domain: string }

/** The filters of the table. Selections change the URL at once, typed text on Enter. */
export function ResultsFilter({ job }: { job: BulkJob }) {
  const { search, turn } = useListSearch()
  const { register, handleSubmit } = useForm<Fields>({ values: fieldsOf(search) })
  const apply = handleSubmit((fields) => turn((now) => withFilter(now, filterIn(fields))))
  return (
    <form
      aria-label="Filter the results"
      onSubmit={(event) => void apply(event)}
      className="mb-4 grid grid-cols-1 items-end gap-3 sm:grid-cols-2 lg:grid-cols-[2fr_1fr_1.4fr_1.2fr_1.4fr_auto]"
    >
      <Field label="Address contains">
        {(ids) => <TextInput {...ids} {...register('search')} type="search" maxLength={320} />}
      </Field>
      <Choices job={job} search={search} register={(name) => register(name, { onChange: () => void apply() })} />
      <Field label="Domain">
        {(ids) => <TextInput {...ids} {...register('domain')} type="search" maxLength={255} />}
      </Field>
      <div className="flex gap-2">
        <Button type="submit">Filter</Button>
        {hasFilter(search) && (
          <Button look="quiet" onClick={() => turn((now) => withFilter(now, {}))}>
            Clear
          </Button>
        )}
      </div>
    </form>
  )
}

function fieldsOf({ search = '', status = ANY, sub_status = ANY, provider = ANY, domain = '' }: ListSearch): Fields {
  return { search, status, sub_status, provider, domain }
}

function filterIn({ search, domain, status, sub_status, provider }: Fields): ListSearch {
  return {
    ...(search.trim() !== '' && { search: search.trim() }),
    ...(domain.trim() !== '' && { domain: domain.trim() }),
    ...(status !== ANY && { status }),
    ...(sub_status !== ANY && { sub_status }),
    ...(provider !== ANY && { provider }),
  }
}

type Chosen = 'status' | 'sub_status' | 'provider'
type ChoicesProps = { job: BulkJob; search: ListSearch; register(name: Chosen): UseFormRegisterReturn }

/** Reasons and providers are those that occur in this list. */
function Choices({ job, search, register }: ChoicesProps) {
  const { data } = useQuery(breakdownQuery(useScene(), job))
  const reasons = [...new Set(data?.by_reason.map((row) => row.sub_status).filter((reason) => reason !== ''))]
  const providers = data?.by_provider.map((row) => row.provider) ?? []
  return (
    <>
      <Choice label="Verdict" field={register('status')} chosen={search.status} values={[...VERDICTS]}>
        {(statuses) => wordsOf(statuses, (status) => verdictLook(status).word)}
      </Choice>
      <Choice label="Reason" field={register('sub_status')} chosen={search.sub_status} values={reasons}>
        {(reason) => wordsOf(reason, reasonWord)}
      </Choice>
      <Choice label="Provider" field={register('provider')} chosen={search.provider} values={providers}>
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
  field: UseFormRegisterReturn
  chosen: string | undefined
  values: string[]
  children(value: string): string
}

function Choice({ label, field, chosen, values, children }: ChoiceProps) {
  // The URL may contain a value that does not occur in this list; it is shown anyway.
  const all = chosen === undefined || values.includes(chosen) ? values : [chosen, ...values]
  return (
    <Field label={label}>
      {(ids) => (
        <SelectInput {...ids} {...field}>
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
