/** Stripe amounts are in the smallest currency unit. Most currencies have hundredths; these have none, or thousandths. */
const WHOLE = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '))
const THOUSANDTHS = new Set('BHD JOD KWD OMR TND'.split(' '))

/** For example "€49.00". More digits for fractions of a cent. */
export function formatMoney(smallest: number, currency: string, digitsMax?: number): string {
  const code = currency.toUpperCase()
  const digits = WHOLE.has(code) ? 0 : THOUSANDTHS.has(code) ? 3 : 2
  const format = new Intl.NumberFormat('en-GB', {
    style: 'currency',
    currency: code,
    minimumFractionDigits: digits,
    maximumFractionDigits: Math.max(digits, digitsMax ?? digits),
  })
  return format.format(smallest / 10 ** digits)
}

const FINE_DIGITS = 4

/** The price of 1,000 credits of a pack. */
export function formatPerThousand(amount: number, credits: number, currency: string): string {
  return formatMoney((amount * 1_000) / credits, currency, FINE_DIGITS)
}
