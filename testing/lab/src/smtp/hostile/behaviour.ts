import type { Visit } from './session.ts'

/** One way to mistreat SMTP clients. */
export type Behaviour = {
  /** The behavior of the server, as a sentence. */
  about: string
  /**
   * The sub_status that a correct prober returns for `someone@<name>.hostile.example`, `''` for a valid address. There
   * are several values when timing decides between them, or when two values for the same unknown result are equally
   * correct.
   */
  expected: string | string[]
  /** Performs the behavior on one connection. Without it no server listens at all. */
  act?(visit: Visit): void | Promise<void>
}

export type Behaviours = Record<string, Behaviour>
