/** What an account may leave out of what it calls safe to send to, and why somebody would. */
export const EXCLUSIONS = {
  disposable: 'addresses that are thrown away after use.',
  role: 'addresses of a function, such as info or sales, rather than of a person.',
  machine_generated: 'addresses whose text looks made by a machine.',
  free: 'addresses at free mail providers.',
  privacy_relay: 'addresses that forward to a mailbox they hide.',
  tagged: 'addresses with a tag, as in ada+news.',
} as const satisfies Record<string, string>

export type Exclusion = keyof typeof EXCLUSIONS

export const EXCLUSIONS_DEFAULT: readonly Exclusion[] = ['disposable', 'role', 'machine_generated']

export const EXCLUSION_NAMES = Object.keys(EXCLUSIONS) as Exclusion[]
