/** Span attributes: numbers and fixed values. Never an address, a domain, an account or a key. */
export type Attributes = Record<string, string | number | boolean>

export type Beginning = {
  attributes?: Attributes
  /** Span kind: serving a request, or processing a queued task. */
  kind?: 'server' | 'consumer'
  /** Start time in Unix milliseconds; default is now. */
  at?: number
}

/** A span of a trace. */
export type Span = {
  /** W3C Trace Context §3.2; undefined if the trace is not sampled. */
  traceparent: string | undefined
  begin(name: string, beginning?: Beginning): Span
  note(attributes: Attributes): void
  /** Marks the span as failed. */
  fail(): void
  end(): void
}

export type Traces = {
  /** Starts a trace, or continues the trace of another process. */
  begin(name: string, beginning?: Beginning & { parent?: string }): Span
  /** Flushes pending spans. */
  stop(): Promise<void>
}

/** The collector, and the sampled share of requests (1 = all). */
export type TraceSettings = { url: string; headers: Record<string, string>; share: number }

/** The span of traces that are not sampled. */
export const NO_SPAN: Span = {
  traceparent: undefined,
  begin: () => NO_SPAN,
  note: () => {},
  fail: () => {},
  end: () => {},
}

export const NO_TRACES: Traces = { begin: () => NO_SPAN, stop: async () => {} }

export type TracedProcess = { kind: 'api' | 'worker'; version: string }

/** Runs a function within a new child span. */
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
