/** Traits of an address: an account can exclude them from `safe_to_send`, and policies can test for them. */
export const TRAITS = {
  disposable: 'addresses at temporary-email providers.',
  role_based: 'shared addresses such as info@ or sales@.',
  machine_generated: 'addresses whose local part looks auto-generated.',
  free: 'addresses at free mail providers.',
  privacy_relay: 'addresses that forward to a mailbox they hide.',
  tagged: 'addresses with a tag, as in ada+news.',
} as const satisfies Record<string, string>

export type Trait = keyof typeof TRAITS

export const EXCLUDED_TRAITS_DEFAULT: readonly Trait[] = ['disposable', 'role_based', 'machine_generated']

export const TRAIT_NAMES = Object.keys(TRAITS) as Trait[]
