import type { UploadPreview } from '@probity/sdk'
import { clsx } from 'clsx'
import { providerName } from '../../../labels/provider-names.ts'
import { formatNumber, formatShare } from '../../../ui/format.ts'
import { Table, Td, Th } from '../../../ui/Table.tsx'

const NAMED_MAX = 4
/** One color fading from the largest part to the smallest, so that it is not mistaken for verdicts. */
const FILLS = ['bg-accent-text', 'bg-accent-text/70', 'bg-accent-text/48', 'bg-accent-text/32'] as const
const OTHERS_FILL = 'bg-accent-text/20'
const UNTOLD_FILL = 'bg-unknown-solid/40'

type Part = { name: string; count: number; fill: string }

/** Unique addresses by mailbox provider, as a bar and as a table. */
export function ProviderMix({ preview }: { preview: UploadPreview }) {
  const parts = partsOf(preview.provider_mix)
  const whole = Math.max(1, preview.unique_count)
  return (
    <figure className="flex flex-col gap-3">
      <div className="flex h-3 gap-px overflow-hidden rounded-full bg-hover" aria-hidden="true">
        {parts.map(({ name, count, fill }) => (
          <div key={name} className={fill} style={{ width: `${(count / whole) * 100}%` }} />
        ))}
      </div>
      <figcaption className="sr-only">Unique addresses by mailbox provider.</figcaption>
      <Table caption="Addresses by provider">
        <thead>
          <tr>
            <Th>Provider</Th>
            <Th align="end">Addresses</Th>
            <Th align="end">Share</Th>
          </tr>
        </thead>
        <tbody className="[&_tr:last-child>td]:border-b-0">
          {parts.map(({ name, count, fill }) => (
            <tr key={name}>
              <Td className="py-2!">
                <span className="inline-flex items-center gap-2">
                  <span className={clsx('size-2.5 shrink-0 rounded-full', fill)} aria-hidden="true" />
                  {name}
                </span>
              </Td>
              <Td align="end">{formatNumber(count)}</Td>
              <Td align="end">{formatShare(count / whole)}</Td>
            </tr>
          ))}
        </tbody>
      </Table>
    </figure>
  )
}

function partsOf(mix: UploadPreview['provider_mix']): Part[] {
  const told = mix.filter(({ provider }) => provider !== '')
  const named = told.slice(0, NAMED_MAX).map(({ provider, count }, n) => {
    return { name: providerName(provider), count, fill: FILLS[n] ?? OTHERS_FILL }
  })
  const others = total(told.slice(NAMED_MAX))
  const untold = total(mix.filter(({ provider }) => provider === ''))
  return [
    ...named,
    { name: 'Other well-known providers', count: others, fill: OTHERS_FILL },
    { name: 'Other domains', count: untold, fill: UNTOLD_FILL },
  ].filter(({ count }) => count > 0)
}

function total(shares: UploadPreview['provider_mix']): number {
  return shares.reduce((sum, { count }) => sum + count, 0)
}
