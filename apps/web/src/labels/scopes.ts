import { expandScopes, type KeyScope } from '@probity/contract/constants/keys'

/** Labels of scopes. */
export const SCOPE_WORDS: Record<KeyScope, { title: string; about: string }> = {
  'validations:read': { title: 'Read validations', about: 'Stored validation results' },
  'validations:write': { title: 'Validate addresses', about: 'Single and bulk validations, and feedback' },
  'jobs:read': { title: 'Read lists', about: 'Uploads, lists and their results' },
  'jobs:write': { title: 'Manage lists', about: 'Upload, start, pause, cancel and delete lists' },
  'account:read': { title: 'Read account', about: 'Plan, credits, limits, usage, requests and policies' },
  'account:write': { title: 'Manage account', about: 'Name, retention, policies, allow & block lists' },
  'keys:read': { title: 'Read keys', about: 'API keys without their secrets' },
  'keys:write': { title: 'Manage keys', about: 'Create, change, rotate and revoke API keys' },
  'webhooks:read': { title: 'Read webhooks', about: 'Webhooks and their deliveries' },
  'webhooks:write': { title: 'Manage webhooks', about: 'Create, change, test and delete webhooks' },
}

const SCOPES = Object.keys(SCOPE_WORDS) as KeyScope[]

export type Preset = 'validate' | 'lists' | 'account' | 'full' | 'custom'

/** The most common purposes of a key, each with the scopes that it needs. */
export const PRESETS: Record<Exclude<Preset, 'custom'>, { title: string; about: string; scopes: KeyScope[] }> = {
  validate: {
    title: 'Validate only',
    about: 'For a sign-up form or a server that validates addresses',
    scopes: ['validations:write'],
  },
  lists: {
    title: 'Lists',
    about: 'For programs that upload files and download the results',
    scopes: ['jobs:write', 'account:read'],
  },
  account: { title: 'Read the account', about: 'For a dashboard of credits and limits', scopes: ['account:read'] },
  full: { title: 'Full', about: 'All scopes that you have', scopes: SCOPES },
}

/**
 * The title of the preset, or the titles of the scopes as one phrase. A read scope that a write scope includes is not listed. Scopes may
 * be added.
 */
export function describeScopes(scopes: readonly string[]): string {
  const isSame = (wanted: readonly string[]) =>
    wanted.length === scopes.length && wanted.every((scope) => scopes.includes(scope))
  const preset = Object.values(PRESETS).find((one) => isSame(one.scopes) || isSame(expandScopes(one.scopes)))
  if (preset) return preset.title
  const words: Record<string, { title: string }> = SCOPE_WORDS
  const titles = scopes
    .filter((scope) => !scope.endsWith(':read') || !scopes.includes(scope.replace(/read$/, 'write')))
    .map((scope) => words[scope]?.title ?? scope)
  return titles.map((title, n) => (n === 0 ? title : title.charAt(0).toLowerCase() + title.slice(1))).join(', ')
}
