/** Regular expressions that take quadratic time or cannot be analyzed, by file, with the limit of their input. They are not analyzed again. */
export const SLOW_PATTERNS: Record<string, Record<string, string>> = {
  'apps/api/src/users/sign-in/passwords.ts': {
    [String.raw`/^(.{3,}?)\1+$/s`]: 'a password has at most 128 characters',
  },
  'packages/contract/src/constants/text.ts': {
    [String.raw`/node_modules\S*$/`]: 'the 400 characters before an @',
  },
  'packages/database/src/validations/stored-validations.ts': {
    '/( (ai|catchall|mailbox)=false)+$/': 'an address has at most 320 characters',
  },
  'packages/database/src/system/migrate.ts': {
    [String.raw`/\b(?:alter table(?: if exists)?(?: only)?|index [^;]*? on(?: only)?|update|delete from|references)\s+(\w+)/gi`]:
      'our own migrations',
  },
  'packages/email/src/send.ts': {
    [String.raw`/[a-z][a-z0-9+-]*:\/+/gi`]: 'a name has at most 200 characters',
  },
  'packages/settings/src/settings-page.ts': {
    [String.raw`/${'`'}[^${'`'}]*${'`'}|PROBITY_[A-Z0-9_]+|[\w=-]+:\/\/(?:[^\s,;)]*[^\s,;):.])?/g`]:
      'our own descriptions of settings',
  },
}
