import type { Trait } from '@probity/contract/constants/validations'

/** Traits that an account can exclude from safe to send: as a label, and in the middle of a sentence. */
export const TRAIT_WORDS: Record<Trait, { label: string; about: string; those: string }> = {
  disposable: {
    label: 'Disposable addresses',
    about: 'Addresses at temporary-email providers.',
    those: 'disposable addresses',
  },
  role_based: {
    label: 'Role addresses',
    about: 'Shared addresses such as info@ or sales@.',
    those: 'role addresses',
  },
  machine_generated: {
    label: 'Addresses that look auto-generated',
    about: 'Some of them belong to real people.',
    those: 'addresses that look auto-generated',
  },
  free: { label: 'Free providers', about: 'For senders that contact only companies.', those: 'free providers' },
  privacy_relay: {
    label: 'Privacy relays',
    about: 'Addresses that forward to a hidden mailbox.',
    those: 'privacy relays',
  },
  tagged: { label: 'Tagged addresses', about: 'Addresses with a tag, as in ada+news.', those: 'tagged addresses' },
}
