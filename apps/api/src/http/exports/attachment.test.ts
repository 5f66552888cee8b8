import { expect, test } from 'vitest'
import { attachment } from './send-export.ts'

test.each([
  ['newsletter.csv', 'csv', 'newsletter-results.csv', 'newsletter-results.csv'],
  ['newsletter.csv', 'ndjson', 'newsletter-results.ndjson', 'newsletter-results.ndjson'],
  ['no ending', 'csv', 'no ending-results.csv', 'no%20ending-results.csv'],
  ['Kunden März.csv', 'csv', 'Kunden Ma_rz-results.csv', 'Kunden%20M%C3%A4rz-results.csv'],
  [
    'a"; filename="evil.exe',
    'csv',
    'a_ filename=evil-results.csv'.replace('=', '_'),
    'a%3B%20filename%3Devil-results.csv',
  ],
  ['../../etc/passwd', 'csv', 'etcpasswd-results.csv', 'etcpasswd-results.csv'],
  ['x\r\nSet-Cookie: a=b.csv', 'csv', 'xSet-Cookie a_b-results.csv', 'xSet-Cookie%20a%3Db-results.csv'],
  ['\u202Evsc.exe', 'csv', 'vsc-results.csv', 'vsc-results.csv'],
  ["it's (1)*.csv", 'csv', 'it_s (1)-results.csv', 'it%27s%20%281%29-results.csv'],
  ['.csv', 'csv', 'list-results.csv', 'list-results.csv'],
  ['名簿.csv', 'csv', '__-results.csv', '%E5%90%8D%E7%B0%BF-results.csv'],
] as const)('%j is downloaded under a name that is safe on every system', (filename, ending, plain, encoded) => {
  expect(attachment(filename, { content: 'results', ending })).toBe(
    `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`,
  )
})
