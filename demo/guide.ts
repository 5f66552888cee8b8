import { SUB_STATUSES } from '@probity/contract/status'
import { SLOW_STOPS, STOPS, type Stop } from './data/stops.ts'
import { pickExamples } from './examples.ts'
import type { Demo } from './product.ts'
import { RECEIVER_URL } from './receiver.ts'

/** Where the demo is and how to get in, in the form of `pnpm dev`. */
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

/** How to ask by hand, for others than the tour asked for. `node` shows the answer: it is there, and not everybody has jq. */
export function describeAsking({ url, key, world }: Demo): string {
  const examples = pickExamples(world.world, [...STOPS, ...SLOW_STOPS], 1)
  const width = Math.max(...examples.map(({ email }) => email.length + 2))
  return [
    'Ask by yourself, in another terminal:',
    '',
    `  KEY=${key}`,
    `  ask() { curl -sG ${url}/api/v1/validation/single -H "X-API-Key: $KEY" --data-urlencode "email=$1" | node -p 'JSON.parse(fs.readFileSync(0))'; }`,
    '',
    ...examples.map(({ email, stop }) => `  ask ${`'${email}'`.padEnd(width)}  # ${describeStop(stop)}`),
    '',
    ...describeList(
      url,
      examples.map(({ email }) => email),
    ),
  ].join('\n')
}

/** The same addresses as a file, through both steps and back. */
function describeList(url: string, emails: string[]): string[] {
  return [
    'Or all of them as a list, which comes back marked:',
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
  return at === 'greylisting' ? `unknown, greylisted; a quarter of a minute later: ${verdict}` : verdict
}
