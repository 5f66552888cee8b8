/** Whether the service refused with this code. Told by the code alone, so that the client need not be loaded to ask. */
export function isProblem(error: unknown, code: string): boolean {
  return isApiError(error) && error.code === code
}

/** Whether the error is an error response of the service (`ProbityApiError`). */
export function isApiError(error: unknown): error is Error & { code: string; status: number } {
  return error instanceof Error && 'code' in error && 'status' in error && 'requestId' in error
}
