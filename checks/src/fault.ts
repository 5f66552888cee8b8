/** A violation that `pnpm check` reports, and its location. `path` is relative to the root of the work tree. */
export type Fault = { path: string; line: number; message: string }
