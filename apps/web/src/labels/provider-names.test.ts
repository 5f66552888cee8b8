import { expect, test } from 'vitest'
import { providerName } from './provider-names.ts'

test.each([
  ['ovh', 'OVHcloud'],
  ['godaddy', 'GoDaddy'],
  ['ionos', 'IONOS'],
  ['strato', 'STRATO'],
  ['proofpoint_essentials', 'Proofpoint Essentials'],
  ['google', 'Google'],
  ['a_new_provider', 'A new provider'],
])('providerName(%s) returns %s', (id, name) => {
  expect(providerName(id)).toBe(name)
})
