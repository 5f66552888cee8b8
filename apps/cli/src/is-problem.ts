/** Whether the service refused with this code. Told by the code alone, so that the client need not be loaded to ask. */
export function isProblem(error: unknown, code: string): boolean {
  return error instanceof Error && error.name === 'ProbityProblem' && (error as Error & { code?: string }).code === code
}
