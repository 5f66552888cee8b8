/** Something `pnpm check` refuses, and where. `path` is relative to the root of the work tree. */
export type Fault = { path: string; line: number; message: string }
