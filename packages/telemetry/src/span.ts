/** What is noted of something in a trace: numbers, and words of ours. Never an address, a domain, an account or a key. */
export type Attributes = Record<string, string | number | boolean>

export type Beginning = {
  attributes?: Attributes
  /** What it is to others: an answer to a request, or work that was handed over. */
  kind?: 'server' | 'consumer'
  /** When it began, in Unix time in milliseconds, if not now. */
  at?: number
}

/** Something that takes time, and belongs to something larger. */
export type Span = {
  /** How another process names it (W3C Trace Context §3.2); undefined where nothing is written down. */
  traceparent: string | undefined
  begin(name: string, beginning?: Beginning): Span
  note(attributes: Attributes): void
  /** Says that it came to nothing. */
  fail(): void
  end(): void
}

export type Traces = {
  /** Begins a trace, or goes on with that of another process. */
  begin(name: string, beginning?: Beginning & { parent?: string }): Span
  /** Sends what is left. */
  stop(): Promise<void>
}

/** Where traces go, and how many of the requests are traced: 1 for all of them. */
export type TraceSettings = { url: string; headers: Record<string, string>; share: number }

/** Stands for all that is not written down, and costs a call. */
export const NO_SPAN: Span = {
  traceparent: undefined,
  begin: () => NO_SPAN,
  note: () => {},
  fail: () => {},
  end: () => {},
}

export const NO_TRACES: Traces = { begin: () => NO_SPAN, stop: async () => {} }

export type TracedProcess = { kind: 'api' | 'worker'; version: string }

/** Does something within a span of its own. */
export async function inSpan<T>(parent: Span, name: string, work: (span: Span) => Promise<T>): Promise<T> {
  const span = parent.begin(name)
  try {
    return await work(span)
  } catch (error) {
    span.fail()
    throw error
  } finally {
    span.end()
  }
}
