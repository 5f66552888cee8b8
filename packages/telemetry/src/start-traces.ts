import {
  type Context,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { type Beginning, NO_SPAN, type Span, type TracedProcess, type TraceSettings, type Traces } from './span.ts'

/** An unavailable collector must not delay shutdown. */
const SEND_WITHIN_MS = 2_000
const SEND_EVERY_MS = 1_000
/** Queue limit; more spans are dropped rather than blocking the process. */
const WAITING_MAX = 2_048

/** Sends traces with OTLP over HTTP, in batches. No global state: a process can have several instances. */
export function startTraces({ url, headers, share }: TraceSettings, { kind, version }: TracedProcess): Traces {
  const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: SEND_WITHIN_MS })
  const processor = new BatchSpanProcessor({
    exporter,
    maxQueueSize: WAITING_MAX,
    scheduledDelayMillis: SEND_EVERY_MS,
    exportTimeoutMillis: SEND_WITHIN_MS,
  })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': `probity-${kind}`, 'service.version': version }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [processor],
  })
  const tracer = provider.getTracer('probity', version)
  return {
    begin(name, { parent, ...beginning } = {}) {
      return beginIn(tracer, parent === undefined ? ROOT_CONTEXT : contextOf(parent), name, beginning)
    },
    stop: () => provider.shutdown().catch(() => {}), // unsent spans are lost with the process
  }
}

const KINDS = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER }

function beginIn(tracer: Tracer, context: Context, name: string, { attributes = {}, kind, at }: Beginning): Span {
  const options = {
    attributes,
    kind: kind ? KINDS[kind] : SpanKind.INTERNAL,
    ...(at !== undefined && { startTime: at }),
  }
  const span = tracer.startSpan(name, options, context)
  return span.isRecording() ? wrap(tracer, span, trace.setSpan(context, span)) : NO_SPAN
}

function wrap(tracer: Tracer, span: OtelSpan, context: Context): Span {
  const { traceId, spanId } = span.spanContext()
  return {
    traceparent: `00-${traceId}-${spanId}-01`,
    begin: (name, beginning = {}) => beginIn(tracer, context, name, beginning),
    note: (attributes) => void span.setAttributes(attributes),
    fail: () => void span.setStatus({ code: SpanStatusCode.ERROR }),
    end: () => span.end(),
  }
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/** Continues the trace of another process. An unreadable value starts a new trace. */
function contextOf(traceparent: string): Context {
  const [, traceId, spanId, flags = ''] = TRACEPARENT.exec(traceparent) ?? []
  if (traceId === undefined || spanId === undefined) return ROOT_CONTEXT
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true })
}
