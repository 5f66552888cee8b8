import type { Static } from 'typebox'
import Type from 'typebox'
import { count } from './count.ts'
import { LIST_NAMES, LISTS } from './listed.ts'
import { nullableString } from './nullable.ts'
import { EntryFormat, pageQuery } from './page.ts'
import { openList, valueList } from './value-list.ts'

/** Of one account, on both lists together. */
export const LISTINGS_MAX = 10_000
/** In one request. */
export const LISTINGS_AT_ONCE_MAX = 1_000

const LISTING_ID = '0198f2f0-4c1a-7d02-a9be-3317c5d2e840'

/** Of a result: closed in meaning, open for clients. */
export const ListedField = nullableString({
  ...openList(LISTS),
  description: `Which of the account's own lists the address or its domain is on; null where it is on neither. It moves \`safe_to_send\` and the decision of a policy, and never the verdict.${valueList(LISTS)}`,
  examples: [null, 'block'],
})

const list = Type.Enum(LIST_NAMES, {
  type: 'string',
  description: `Which list:${valueList(LISTS)}`,
  examples: ['block'],
})

const note = Type.String({
  maxLength: 200,
  description: 'Why it is there, up to 200 characters.',
  examples: ['Asked not to be written to'],
})

const LISTING_EXAMPLE = {
  id: LISTING_ID,
  entry: 'ada@example.com',
  list: 'block',
  note: 'Asked not to be written to',
  added_by: 'Sign-up form',
  added_at: '2026-11-02T12:00:00.000Z',
}

export type Listing = Static<typeof Listing>
export const Listing = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Names the entry.', examples: [LISTING_ID] }),
    entry: Type.String({
      description:
        'The address or the domain, as it is compared: in lower case, an internationalised domain as A-labels. A domain stands for all its addresses, and not for those of its subdomains.',
      examples: ['ada@example.com', 'example.com'],
    }),
    list: Type.With(list, { description: 'Which list it is on.' }),
    note,
    added_by: nullableString({
      description: 'The name of the person or of the key that put it there; null where that is not known.',
      examples: ['Sign-up form', null],
    }),
    added_at: Type.String({
      format: 'date-time',
      description: 'When it was put there (RFC 3339, UTC).',
      examples: ['2026-11-02T12:00:00.000Z'],
    }),
  },
  {
    title: 'Listing',
    description: 'An address or a domain on one of the lists of the account. Fields may be added.',
    examples: [LISTING_EXAMPLE],
  },
)

const { skip, limit } = pageQuery('', 'entries').properties

export type ListingQuery = Static<typeof ListingQuery>
export const ListingQuery = Type.Object(
  {
    format: EntryFormat,
    list: Type.Optional(Type.With(list, { description: 'Only entries of this list.' })),
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 320,
        description: 'Only entries that hold this text, in upper or lower case. No character stands for others.',
        examples: ['example.com'],
      }),
    ),
    skip,
    limit,
  },
  {
    title: 'Listing query',
    description: 'Which entries, and how they are written. `skip` and `limit` are for `json` alone.',
    examples: [{ list: 'block', search: 'example.com' }],
  },
)

export type ListingPage = Static<typeof ListingPage>
export const ListingPage = Type.Array(Listing, {
  title: 'Listings',
  description: 'One page of the entries, in the order of their text.',
  examples: [[LISTING_EXAMPLE]],
})

export const ListingSheet = Type.String({
  title: 'Listing sheet',
  description: 'All entries that were asked for, in the order of their text, each cell in quotes.',
  examples: ['"list","entry","note"\r\n"block","ada@example.com","Asked not to be written to"\r\n'],
})

export type AddListings = Static<typeof AddListings>
export const AddListings = Type.Object(
  {
    list,
    entries: Type.Array(
      Type.String({ minLength: 1, maxLength: 1024, description: 'An address or a domain.', examples: ['example.com'] }),
      {
        minItems: 1,
        maxItems: LISTINGS_AT_ONCE_MAX,
        description: `Addresses and domains, up to ${LISTINGS_AT_ONCE_MAX} in one request. A domain may have an @ before it.`,
        examples: [['ada@example.com', 'example.org']],
      },
    ),
    note: Type.Optional(note),
  },
  {
    title: 'Listings to add',
    description: 'What to put on a list.',
    additionalProperties: false,
    examples: [{ list: 'block', entries: ['ada@example.com', 'example.org'], note: 'Asked not to be written to' }],
  },
)

export type AddedListings = Static<typeof AddedListings>
export const AddedListings = Type.Object(
  {
    added: count('Entries that were on no list.', 2),
    moved: count('Entries that were on the other list, and are on this one now.', 0),
    unchanged: count('Entries that were on this list already. Their note is the new one where the request has one.', 0),
    total: count(`Entries on both lists now; there may be ${LISTINGS_MAX}.`, 2),
  },
  {
    title: 'Added listings',
    description: 'What became of the entries. Repeated ones count once.',
    examples: [{ added: 2, moved: 0, unchanged: 0, total: 2 }],
  },
)

export type ListingParams = Static<typeof ListingParams>
export const ListingParams = Type.Object(
  { listing_id: Type.String({ format: 'uuid', description: 'The `id` of the entry.', examples: [LISTING_ID] }) },
  { title: 'Listing path', description: 'Which entry is meant.', examples: [{ listing_id: LISTING_ID }] },
)
