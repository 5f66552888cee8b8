import type { UploadPreview } from '@probity/sdk'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { CircleSlash, Quote, Split, WandSparkles } from 'lucide-react'
import { useRef } from 'react'
import { Card } from '../../../ui/Card.tsx'
import { Checkbox } from '../../../ui/Field.tsx'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import { NonAddresses } from './NonAddresses.tsx'
import { Suggestions } from './Suggestions.tsx'
import { Change, Fact } from './ValueParts.tsx'

/** What the cells of the column contain besides plain addresses, and what becomes of it. Nothing for a column of plain addresses. */
export function Values({ preview }: { preview: UploadPreview }) {
  const { suggestion_count: suggested, repaired_count: repaired, extra_address_count: extra } = preview
  const { extracted_count: extracted, not_address_count: texts, malformed_count: malformed } = preview
  const top = useRef<HTMLDivElement>(null)
  if (suggested + repaired + extra + extracted + texts + malformed === 0) return null
  return (
    <Card title="Values in the column">
      <div
        ref={top}
        tabIndex={-1}
        className="flex flex-col divide-y divide-line focus:outline-none [&>*]:py-4 [&>:first-child]:pt-0 [&>:last-child]:pb-0"
      >
        {/* The pressed button is removed together with its suggestion. */}
        {suggested > 0 && <Suggestions preview={preview} onAccepted={() => top.current?.focus()} />}
        {repaired > 0 && <Repaired preview={preview} />}
        {extra > 0 && <SeveralAddresses preview={preview} />}
        {texts + malformed > 0 && <LeftOut preview={preview} />}
        {extracted > 0 && (
          <Fact icon={<Quote aria-hidden="true" />}>
            {formatCount(extracted, 'cell contains', 'cells contain')} an address with a name or other text. The address
            is validated, and the download keeps the cell.
          </Fact>
        )}
      </div>
    </Card>
  )
}

const EXAMPLES_SHOWN = 3

function Repaired({ preview: { repaired_count: count, repaired_examples: examples } }: { preview: UploadPreview }) {
  const more = examples.slice(EXAMPLES_SHOWN)
  return (
    <Fact
      icon={<WandSparkles aria-hidden="true" />}
      details={
        <>
          <Examples examples={examples.slice(0, EXAMPLES_SHOWN)} />
          {more.length > 0 && (
            <details className="text-[0.8125rem]">
              <summary className="min-h-6 w-fit text-soft hover:text-ink">
                {formatCount(more.length, 'more example')}
              </summary>
              <div className="mt-1.5">
                <Examples examples={more} />
              </div>
            </details>
          )}
        </>
      }
    >
      {formatCount(count, 'address was', 'addresses were')} repaired. The download keeps the cells.
    </Fact>
  )
}

function Examples({ examples }: { examples: UploadPreview['repaired_examples'] }) {
  return (
    <ul className="flex flex-col gap-1.5">
      {examples.map(({ row, value, email }, n) => (
        <li key={n}>
          <Change row={row} from={value} to={email} />
        </li>
      ))}
    </ul>
  )
}

function SeveralAddresses({ preview }: { preview: UploadPreview }) {
  const choice = useCellChoice('several', 'first')
  const more = formatCount(preview.extra_address_count, 'second address', 'second addresses')
  return (
    <Fact
      icon={<Split aria-hidden="true" />}
      details={<Checkbox {...choice} label="Validate only the first address of a cell" className="text-[0.8125rem]" />}
    >
      Some cells hold more than one address ({more}).{' '}
      {preview.several_addresses === 'first' ? 'Only the first one of a cell is validated.' : 'All are validated.'}
    </Fact>
  )
}

/** Text without an address, and values that no repair can correct. */
function LeftOut({ preview }: { preview: UploadPreview }) {
  const { malformed_count: malformed } = preview
  const choice = useCellChoice('malformed', 'validate')
  const isPaid = preview.malformed === 'validate'
  const cost = preview.livemode ? ', for 1 credit per unique value' : ''
  return (
    <Fact
      icon={<CircleSlash aria-hidden="true" />}
      details={
        <>
          <NonAddresses key={preview.upload_id} preview={preview} />
          {malformed > 0 && (
            <Checkbox
              {...choice}
              label="Validate malformed values, too"
              hint={`Their result is invalid${cost}.`}
              className="text-[0.8125rem]"
            />
          )}
        </>
      }
    >
      {describeLeftOut(preview)}
      {isPaid && malformed > 0 && ` ${formatCount(malformed, 'malformed value is', 'malformed values are')} validated.`}
    </Fact>
  )
}

/** "57 cells without an address (20 are empty) and 12 malformed values are left out": the numbers of the sum. */
function describeLeftOut(preview: UploadPreview): string {
  const { not_address_count: texts, empty_count: empty } = preview
  const malformed = preview.malformed === 'skip' ? preview.malformed_count : 0
  const cells = texts + empty
  const emptyOnes = empty > 0 ? ` (${formatNumber(empty)} ${empty === 1 ? 'is' : 'are'} empty)` : ''
  const parts = [
    texts > 0 && formatCount(cells, 'cell without an address', 'cells without an address') + emptyOnes,
    malformed > 0 && formatCount(malformed, 'malformed value'),
  ].filter((part) => part !== false)
  if (parts.length === 0) return ''
  return `${parts.join(' and ')} ${cells + malformed === 1 ? 'is' : 'are'} left out: not validated and not charged.`
}

/** A check box for how cells are read. It is kept in the URL, as the column is. */
function useCellChoice(name: 'several' | 'malformed', value: 'first' | 'validate') {
  const navigate = useNavigate({ from: '/lists/new' })
  const chosen = useSearch({ from: '/shell/lists/new' })[name]
  return {
    checked: chosen !== undefined,
    onChange: ({ target }: { target: { checked: boolean } }) =>
      void navigate({
        search: ({ [name]: _, ...now }) => ({ ...now, ...(target.checked && { [name]: value }) }),
        replace: true,
        resetScroll: false,
      }),
  }
}
