import type { Visit } from './session.ts'

/** One way to mistreat those who ask. */
export type Behaviour = {
  /** What the server does, as a sentence. */
  about: string
  /**
   * The sub_status that a correct prober concludes for `someone@<name>.hostile.example`, `''` for a valid address. There are
   * several where nobody but the clock decides between them, or where two words for the same "unknown" are equally true.
   */
  expected: string | string[]
  /** Acts it out on one connection. Without it nobody listens at all. */
  act?(visit: Visit): void | Promise<void>
}

export type Behaviours = Record<string, Behaviour>
