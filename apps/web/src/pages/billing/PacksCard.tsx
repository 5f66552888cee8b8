import type { Billing } from '@probity/contract/schemas/billing'
import { useId, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Field, Radio, SelectInput } from '../../ui/Field.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { totalOf, useCheckout } from './billing-query.ts'
import { formatPerThousand } from './money.ts'

type Pack = Billing['packs'][number]

/** Quantities of packs; the API accepts up to 100. */
const QUANTITIES = [1, 2, 3, 4, 5, 10, 20, 50, 100]

/** Credit packs: size, price per 1,000 credits and total. */
export function PacksCard({ packs, mayBuy }: { packs: Pack[]; mayBuy: boolean }) {
  const [price, setPrice] = useState(packs[0]?.price)
  const [quantity, setQuantity] = useState(1)
  const { mutate, isPending } = useCheckout()
  const pack = packs.find((one) => one.price === price) ?? packs[0]
  if (pack === undefined) return null
  return (
    <Card title="Credit packs" about="One-time purchases. The credits do not expire and need no plan.">
      <form
        className="flex flex-col gap-5"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isPending) mutate({ price: pack.price, quantity })
        }}
      >
        <PackChoice packs={packs} chosen={pack} onChoose={setPrice} />
        <Field label="Quantity" className="max-w-40">
          {(ids) => (
            <SelectInput {...ids} value={quantity} onChange={({ target }) => setQuantity(Number(target.value))}>
              {QUANTITIES.map((count) => (
                <option key={count} value={count}>
                  {count}
                </option>
              ))}
            </SelectInput>
          )}
        </Field>
        <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
          <Total pack={pack} quantity={quantity} />
          {mayBuy && (
            <Button type="submit" look="primary" busy={isPending}>
              Buy {formatCount(pack.credits * quantity, 'credit')}
            </Button>
          )}
        </div>
      </form>
    </Card>
  )
}

type ChoiceProps = { packs: Pack[]; chosen: Pack; onChoose(price: string): void }

function PackChoice({ packs, chosen, onChoose }: ChoiceProps) {
  const name = useId()
  return (
    <fieldset>
      <legend className="mb-2 font-medium">Pack</legend>
      <div className="grid gap-3 sm:grid-cols-[repeat(auto-fill,minmax(13rem,1fr))]">
        {packs.map((pack) => (
          <Radio
            key={pack.price}
            name={name}
            value={pack.price}
            checked={pack.price === chosen.price}
            onChange={() => onChoose(pack.price)}
            label={<span className="font-medium">{formatCount(pack.credits, 'credit')}</span>}
            hint={perThousand(pack)}
            className="rounded-md border border-line px-3.5 py-3 has-checked:border-accent"
          />
        ))}
      </div>
    </fieldset>
  )
}

function perThousand({ amount, currency, credits }: Pack): string {
  if (amount === null || currency === null) return 'The price is shown before you pay.'
  return `${formatPerThousand(amount, credits, currency)} per 1,000`
}

/** An output element, so that screen readers announce changes. */
function Total({ pack, quantity }: { pack: Pack; quantity: number }) {
  const total = totalOf(pack, quantity)
  return (
    <output className="text-soft">
      {formatNumber(pack.credits * quantity)} credits:{' '}
      <strong className="font-semibold text-ink tabular-nums">{total ?? 'shown before you pay'}</strong>
    </output>
  )
}
