import type { DoorKey } from '@probity/database/accounts/keys'

/** Who is calling: a key, or a person in the web application, who has none and for whom the rest is filled in likewise. */
export type Caller = Omit<DoorKey, 'id'> & { id: string | null }
