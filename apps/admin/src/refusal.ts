/** An operator's mistake: shown as one line, without a stack. */
export class Refusal extends Error {}
