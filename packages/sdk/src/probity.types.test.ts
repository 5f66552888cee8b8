import { expectTypeOf, test } from 'vitest'
import type {
  ApiPromise,
  BulkJob,
  ConnectionError,
  JobResult,
  Page,
  PagePromise,
  Probity,
  ProbityApiError,
  ProbityError,
  ProblemDetails,
  RateLimitError,
  RequestLogEntry,
  TimeoutError,
  ValidateAllItem,
  ValidationResult,
  verifyWebhook,
  WebhookEvent,
} from './probity.ts'

type Event<T extends WebhookEvent['type']> = Extract<WebhookEvent, { type: T }>

test('the type of a webhook event narrows its data', () => {
  expectTypeOf<Awaited<ReturnType<typeof verifyWebhook>>>().toEqualTypeOf<WebhookEvent>()
  expectTypeOf<ReturnType<Probity['webhooks']['verify']>>().toEqualTypeOf<Promise<WebhookEvent>>()
  expectTypeOf<Event<'job.completed'>['data']>().toEqualTypeOf<BulkJob>()
  expectTypeOf<Event<'credits.low'>['data']['available']>().toEqualTypeOf<number>()
  expectTypeOf<Event<'key.revoked'>['data']['revoked_at']>().toEqualTypeOf<string | null>()
  expectTypeOf<Event<'validation.resolved'>['data']['email']>().toEqualTypeOf<string>()
  expectTypeOf<'job.progressed'>().not.toExtend<WebhookEvent['type']>()
  const nameOf = (event: WebhookEvent) => {
    if (event.type === 'job.completed' || event.type === 'job.failed') return event.data.filename
    if (event.type === 'webhook.disabled') return event.data.reason
    // @ts-expect-error: other events have no filename
    return event.data.filename
  }
  expectTypeOf(nameOf).parameter(0).toEqualTypeOf<WebhookEvent>()
})

test('error classes extend each other and have typed fields', () => {
  expectTypeOf<RateLimitError>().toExtend<ProbityApiError>()
  expectTypeOf<ProbityApiError>().toExtend<ProbityError>()
  expectTypeOf<TimeoutError>().toExtend<ConnectionError>()
  expectTypeOf<ConnectionError>().toExtend<ProbityError>()
  expectTypeOf<ConnectionError>().not.toExtend<ProbityApiError>()
  expectTypeOf<ProbityApiError['headers']>().toEqualTypeOf<Headers>()
  expectTypeOf<ProbityApiError['requestId']>().toEqualTypeOf<string | undefined>()
  expectTypeOf<ProbityApiError['problem']>().toEqualTypeOf<ProblemDetails | undefined>()
  expectTypeOf<RateLimitError['retryAfterSeconds']>().toEqualTypeOf<number | undefined>()
})

test('lists are awaited as pages and iterated as items', () => {
  expectTypeOf<ReturnType<Probity['jobs']['list']>>().toEqualTypeOf<PagePromise<BulkJob>>()
  expectTypeOf<Awaited<PagePromise<BulkJob>>>().toEqualTypeOf<Page<BulkJob>>()
  expectTypeOf<PagePromise<JobResult>>().toExtend<AsyncIterable<JobResult>>()
  expectTypeOf<Awaited<ReturnType<Page<BulkJob>['nextPage']>>>().toEqualTypeOf<Page<BulkJob> | undefined>()
  expectTypeOf<Awaited<ReturnType<Probity['requests']['list']>>>().toEqualTypeOf<
    Page<RequestLogEntry, { retentionDays: number }>
  >()
})

test('calls have typed responses and options', () => {
  expectTypeOf<ReturnType<Probity['validate']>>().toEqualTypeOf<ApiPromise<ValidationResult>>()
  expectTypeOf<ReturnType<Probity['validateAll']>>().toExtend<AsyncIterable<ValidateAllItem>>()
  expectTypeOf<ReturnType<Probity['jobs']['delete']>>().toEqualTypeOf<ApiPromise<void>>()
  expectTypeOf<NonNullable<Parameters<Probity['validate']>[1]>>().not.toHaveProperty('timeout')
  expectTypeOf<NonNullable<Parameters<Probity['validateAll']>[1]>>().not.toHaveProperty('idempotencyKey')
})
