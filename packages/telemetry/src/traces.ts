import { NO_TRACES, type TracedProcess, type TraceSettings, type Traces } from './span.ts'

/** Loads the OpenTelemetry libraries only if tracing is configured. */
export async function openTraces(settings: TraceSettings | undefined, tracedProcess: TracedProcess): Promise<Traces> {
  if (settings === undefined) return NO_TRACES
  const { startTraces } = await import('./start-traces.ts')
  return startTraces(settings, tracedProcess)
}

type Variables = {
  OTEL_EXPORTER_OTLP_ENDPOINT?: string
  OTEL_EXPORTER_OTLP_HEADERS: string
  OTEL_TRACES_SAMPLER_ARG: number
}

/** Undefined if tracing is not configured. */
export function readTraceSettings(vars: Variables): TraceSettings | undefined {
  const {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: headers,
    OTEL_TRACES_SAMPLER_ARG: share,
  } = vars
  if (endpoint === undefined) return undefined
  return { url: `${endpoint.replace(/(?<!\/)\/+$/, '')}/v1/traces`, headers: readHeaders(headers), share }
}

/** The OpenTelemetry format: name=value pairs, comma-separated, values URL-encoded. */
function readHeaders(text: string): Record<string, string> {
  const pairs = text.split(',').flatMap((pair): [string, string][] => {
    const cut = pair.indexOf('=')
    return cut > 0 ? [[pair.slice(0, cut).trim(), decodeURIComponent(pair.slice(cut + 1).trim())]] : []
  })
  return Object.fromEntries(pairs)
}
