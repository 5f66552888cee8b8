import { NO_TRACES, type TracedProcess, type TraceSettings, type Traces } from './span.ts'

/** Loads the OpenTelemetry libraries only if tracing is configured. */
export async function openTraces(settings: TraceSettings | undefined, tracedProcess: TracedProcess): Promise<Traces> {
  if (settings === undefined) return NO_TRACES
  const { startTraces } = await import('./start-traces.ts')
  return startTraces(settings, tracedProcess)
}
