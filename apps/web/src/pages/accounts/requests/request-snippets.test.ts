import { expect, test } from 'vitest'
import { requestSnippets } from './request-snippets.ts'

function curlOf(method: string, route: string): string {
  const [curl] = requestSnippets({ host: 'https://probity.example', method, route, email: 'ada@example.com' })
  return curl?.code ?? ''
}

test('requestSnippets repeats a validation with a placeholder address and without a key', () => {
  expect(curlOf('POST', '/api/v1/validation/single')).toBe(
    [
      "curl 'https://probity.example/api/v1/validation/single' \\",
      '  -H "X-API-Key: $PROBITY_API_KEY" \\',
      "  -H 'Content-Type: application/json' \\",
      `  -d '{"email":"ada@example.com"}'`,
    ].join('\n'),
  )
  expect(curlOf('GET', '/api/v1/validation/single')).toContain('/validation/single?email=ada%40example.com')
})

test('requestSnippets names path ids, sends files as form data and sets the method', () => {
  expect(curlOf('DELETE', '/api/v1/bulk/jobs/:job_id')).toContain(
    "curl -X DELETE 'https://probity.example/api/v1/bulk/jobs/JOB_ID'",
  )
  expect(curlOf('POST', '/api/v1/bulk/upload/preview')).toContain("-F 'file=@list.csv'")
  expect(curlOf('PATCH', '/api/v1/keys/:key_id')).toContain("-d '{}'")
})

test('requestSnippets returns the request in every language', () => {
  const asked = {
    host: 'https://probity.example',
    method: 'POST',
    route: '/api/v1/validation/bulk',
    email: 'a@b.example',
  }
  const snippets = requestSnippets(asked)
  expect(snippets.map(({ language }) => language)).toEqual(['curl', 'TypeScript', 'Python'])
  for (const { code } of snippets) {
    expect(code).toContain('https://probity.example/api/v1/validation/bulk')
    expect(code).toContain('"a@b.example"')
    expect(code).toContain('PROBITY_API_KEY')
  }
})
