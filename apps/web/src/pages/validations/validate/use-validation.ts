import { ProbityApiError, type ValidationResult } from '@probity/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import {
  asRequestFailed,
  type Mode,
  newIdempotencyKey,
  probityFor,
  type RequestFailed,
} from '../../../session/client.ts'
import { useScene } from '../../../session/workspace.ts'

/** A result and its credits charged. */
export type ValidationOutcome = { result: ValidationResult; charged: number | undefined }
export type ValidationRequest = {
  email: string
  timeout?: number | undefined
  /** Validates now instead of using the stored result. */
  isFresh?: boolean
}

export type ValidationState =
  | { kind: 'idle' }
  | { kind: 'asking'; asked: ValidationRequest }
  | { kind: 'answered'; asked: ValidationRequest; answer: ValidationOutcome }
  | { kind: 'failed'; asked: ValidationRequest; failure: RequestFailed; retryAfterS: number | undefined }
  | { kind: 'canceled'; asked: ValidationRequest }

export type Validation = {
  state: ValidationState
  ask(asked: ValidationRequest): void
  /** Repeats the request with the same idempotency key, so that it is not charged twice. */
  repeat(): void
  cancel(): void
  show(answer: ValidationOutcome): void
}

/** Validates one address at a time as the signed-in user. */
export function useValidation(mode: Mode, onAnswer?: (answer: ValidationOutcome) => void): Validation {
  const { membership, key } = useScene()
  const accountId = membership.account_id
  const probity = useMemo(() => probityFor({ accountId, mode }, 0), [accountId, mode])
  const queryClient = useQueryClient()
  const [state, setState] = useState<ValidationState>({ kind: 'idle' })
  const running = useRef<AbortController>(undefined)
  const idempotencyKey = useRef('')
  useEffect(() => () => running.current?.abort(), [])

  async function send(asked: ValidationRequest) {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setState({ kind: 'asking', asked })
    const options = {
      waitSeconds: asked.timeout,
      signal: controller.signal,
      idempotencyKey: idempotencyKey.current,
      ...(asked.isFresh && { maxAgeSeconds: 0 }),
    }
    try {
      const { data, response } = await probity.validate(asked.email, options).withResponse()
      const answer = { result: data, charged: response.creditsCharged }
      if (controller.signal.aborted) return
      setState({ kind: 'answered', asked, answer })
      onAnswer?.(answer)
    } catch (error) {
      if (controller.signal.aborted) return
      const retryAfterS = error instanceof ProbityApiError ? error.retryAfterSeconds : undefined
      setState({ kind: 'failed', asked, failure: asRequestFailed(error), retryAfterS })
    }
    void queryClient.invalidateQueries({ queryKey: [...key, 'account'] })
  }

  return {
    state,
    ask(asked) {
      idempotencyKey.current = newIdempotencyKey()
      void send(asked)
    },
    repeat() {
      if (state.kind !== 'idle') void send(state.asked)
    },
    cancel() {
      running.current?.abort()
      if (state.kind === 'asking') setState({ kind: 'canceled', asked: state.asked })
    },
    show(answer) {
      running.current?.abort()
      setState({ kind: 'answered', asked: { email: answer.result.email }, answer })
    },
  }
}
