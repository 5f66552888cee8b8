/** A usage error: shown as one line, without a stack trace. */
export class Refusal extends Error {}
