import { providerName } from '../../labels/provider-names.ts'

/** The provider's name; all unknown providers are counted together. */
export function nameOf(provider: string): string {
  return provider === '' ? 'Other' : providerName(provider)
}
