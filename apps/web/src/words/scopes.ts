import type { KeyScope } from '@probity/contract/keys'

/** What a key may do, in words. */
export const SCOPE_WORDS: Record<KeyScope, { title: string; about: string }> = {
  validation: { title: 'Validate', about: 'Single addresses and short lists in one request' },
  bulk: { title: 'Lists', about: 'Upload files, start and follow them, read their results' },
  account: { title: 'Account', about: 'Read plan, credits and limits' },
  keys: { title: 'Keys', about: 'Create, change and revoke API keys' },
  webhooks: { title: 'Webhooks', about: 'Say where events are sent, and look at what was sent' },
  settings: {
    title: 'Settings',
    about: 'Rename the organisation, set for how long it keeps results and what it calls safe to send',
  },
}

const SCOPES = Object.keys(SCOPE_WORDS) as KeyScope[]

export type Preset = 'validate' | 'lists' | 'account' | 'full' | 'custom'

/** What most keys are for. Each gets no more than that takes. */
export const PRESETS: Record<Exclude<Preset, 'custom'>, { title: string; about: string; scopes: KeyScope[] }> = {
  validate: {
    title: 'Validate only',
    about: 'For a sign-up form or a server that checks addresses',
    scopes: ['validation'],
  },
  lists: { title: 'Lists', about: 'For jobs that upload files and fetch the results', scopes: ['bulk', 'account'] },
  account: { title: 'Read the account', about: 'For a dashboard of credits and limits', scopes: ['account'] },
  full: { title: 'Full', about: 'All that you may do yourself', scopes: SCOPES },
}

/** In a word or two: the preset it is, or the scopes one by one. Scopes are an open list. */
export function describeScopes(scopes: readonly string[]): string {
  const isSame = (wanted: readonly string[]) =>
    wanted.length === scopes.length && wanted.every((scope) => scopes.includes(scope))
  const preset = Object.values(PRESETS).find((one) => isSame(one.scopes))
  if (preset) return preset.title
  const words: Record<string, { title: string }> = SCOPE_WORDS
  return scopes.map((scope) => words[scope]?.title ?? scope).join(', ')
}
