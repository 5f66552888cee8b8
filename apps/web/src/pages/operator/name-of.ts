import { providerName } from '../../words/provider-names.ts'

/** A provider by its name; all that we do not know are one. */
export function nameOf(provider: string): string {
  return provider === '' ? 'Everybody else' : providerName(provider)
}
