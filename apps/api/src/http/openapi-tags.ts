/** The tags of operations, in the order of the API reference. */
export const TAGS = {
  Validation: 'Validation of one address, or of up to 1,000 in one JSON call, while the client waits.',
  Jobs: 'Validation of CSV files in the background: upload a file, confirm it as a job, follow the job and read its results.',
  Overrides: 'Addresses and domains that the account always allows or always blocks.',
  Erasures: 'Deletion of all data about one address.',
  Policies: 'Rules that map a result to `allow`, `review` or `block`.',
  Feedback: 'Delivery reports of your own mail, and the accuracy of predictions.',
  Account: 'Plan, credits, usage, ledger and request log.',
  'API keys': 'Keys for programs: secret keys for servers and publishable keys for web pages.',
  Webhooks: 'Endpoints that receive events, and the deliveries to them.',
} as const

export type TagName = keyof typeof TAGS
