import { SUB_STATUSES } from '@probity/contract/constants/validations'
import { SLOW_STOPS, STOPS, type Stop } from './data/stops.ts'
import { pickExamples } from './examples.ts'
import type { Demo } from './product.ts'
import { RECEIVER_URL } from './receiver.ts'

/** URLs and credentials, in the format of `pnpm dev`. */
export function describeAccess({ url, key, user }: Demo): string {
  return [
    `Web app: ${url}/app/`,
    `API: ${url}/api/v1`,
    `Sign in: ${user.email} ${user.password}`,
    `Key: ${key}`,
    `Webhooks: ${RECEIVER_URL} receives all events and prints them here`,
    `Docs: ${url}/docs`,
  ].join('\n')
}

/** Commands for manual requests, with other addresses than the tour. `node` formats the response, because jq may be missing. */
export function describeAsking({ url, key, simulation }: Demo): string {
  const examples = pickExamples(simulation.simulation, [...STOPS, ...SLOW_STOPS], 1)
  const width = Math.max(...examples.map(({ email }) => email.length + 2))
  return [
    'Validate addresses yourself, in another terminal:',
    '',
    `  KEY=${key}`,
    `  validate() { curl -sG ${url}/api/v1/validation/single -H "X-API-Key: $KEY" --data-urlencode "email=$1" | node -p 'JSON.parse(fs.readFileSync(0))'; }`,
    '',
    ...examples.map(({ email, stop }) => `  validate ${`'${email}'`.padEnd(width)}  # ${describeStop(stop)}`),
    '',
    ...describeList(
      url,
      examples.map(({ email }) => email),
    ),
  ].join('\n')
}

/** Commands that upload the same addresses as a list and download the results. */
function describeList(url: string, emails: string[]): string[] {
  return [
    'Or validate all of them as a list and download the results:',
    '',
    `  api() { path=$1; shift; curl -s ${url}/api/v1/bulk/$path -H "X-API-Key: $KEY" "$@"; }`,
    '  field() { node -p "JSON.parse(fs.readFileSync(0)).$1"; }',
    `  printf '%s\\n' email ${emails.map((email) => `'${email}'`).join(' ')} >list.csv`,
    '  UPLOAD=$(api upload/preview -F file=@list.csv | field upload_id)',
    '  JOB=$(api upload/confirm -H \'Content-Type: application/json\' -d \'{"upload_id":"\'$UPLOAD\'","email_column":"email"}\' | field id)',
    '  api jobs/$JOB/events --max-time 60 --no-buffer | grep --line-buffered progress',
    "  api 'jobs/'$JOB'/results?format=csv'",
  ]
}

function describeStop({ subStatus, at }: Stop): string {
  const { status } = SUB_STATUSES[subStatus]
  const verdict = subStatus === '' ? status : `${status}, ${subStatus}`
  return at === 'greylisting' ? `unknown, greylisted; 15 seconds later: ${verdict}` : verdict
}
