import type { Trait } from '@probity/contract/traits'

/** Traits that an account can exclude from safe to send: as a label, and in the middle of a sentence. */
export const TRAIT_WORDS: Record<Trait, { label: string; about: string; those: string }> = {
  disposable: {
    label: 'Disposable addresses',
    about: 'They are thrown away after use.',
    those: 'disposable addresses',
  },
  role_based: {
    label: 'Role addresses',
    about: 'Of a function, as info or sales, and so of nobody in particular.',
    those: 'role addresses',
  },
  machine_generated: {
    label: 'Addresses that look auto-generated',
    about: 'Some belong to people all the same.',
    those: 'addresses that look auto-generated',
  },
  free: { label: 'Free providers', about: 'For those who write to companies alone.', those: 'free providers' },
  privacy_relay: {
    label: 'Privacy relays',
    about: 'They forward to a mailbox that they hide.',
    those: 'privacy relays',
  },
  tagged: { label: 'Tagged addresses', about: 'As in ada+news.', those: 'tagged addresses' },
}
