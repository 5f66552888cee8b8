import type { AuthKey } from '@probity/database/accounts/keys'

/** Who is calling: a key, or a person in the web application, who has none and for whom the rest is filled in likewise. */
export type Auth = Omit<AuthKey, 'id'> & { id: string | null }
