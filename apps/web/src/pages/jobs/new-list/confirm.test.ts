import type { UploadPreview } from '@probity/sdk'
import { expect, test } from 'vitest'
import { isTooShort } from './Confirm.tsx'

const preview = (quote: number, more: { livemode?: boolean; unlimited?: boolean } = {}) => {
  const { livemode = true, unlimited = false } = more
  return { livemode, credits: { quote, available: 100, unlimited } } as UploadPreview
}

test('isTooShort is true only for a live list that costs more than the available credits', () => {
  expect([99, 100, 101].map((quote) => isTooShort(preview(quote)))).toEqual([false, false, true])
  expect(isTooShort(preview(101, { livemode: false }))).toBe(false)
  expect(isTooShort(preview(101, { unlimited: true }))).toBe(false)
})
