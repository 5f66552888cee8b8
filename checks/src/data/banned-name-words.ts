/** A word or compound that exported names, files and folders do not contain, written in lower case with blanks between words. */
export type BannedName = {
  pattern: RegExp
  instead: string
  /** The paths in which the word is banned; all if left out. Elsewhere it has another meaning. */
  within?: RegExp
}

const ENGINE = /^packages\/engine\//
const NOT_WEB = /^(?!apps\/web\/)/

/** docs/glossary.md explains the terms. Only whole words match: `task` is not `ask`. */
export const BANNED_NAMES: readonly BannedName[] = [
  // Probing.
  { pattern: /(?:un)?ask(?:s|ed|ing|er|ers)?/, instead: 'probe, query or request' },
  { pattern: /questions?/, instead: 'request or query' },
  { pattern: /(?:un)?answer(?:s|ed|ing)?/, instead: 'result, response or reply' },
  { pattern: /surveys?|interviews?/, instead: 'probe' },
  { pattern: /hears?|heard|said|says?|sayings?|unsayable/, instead: 'reply, encodable' },
  { pattern: /dialogues?/, instead: 'transcript' },
  { pattern: /tells?|told/, instead: 'notify, publish, or the name of the data' },
  { pattern: /troubles?/, instead: 'failure' },
  { pattern: /meets?|met/, instead: 'handle' },
  { pattern: /silen(?:t|ce|ces)/, instead: 'no response, no heartbeat' },
  // In the other apps, a line is one of text, of a terminal or of an invoice.
  { pattern: /lines?/, instead: 'connection', within: /^(?:packages|apps\/worker)\// },
  { pattern: /gives? back|given back|hangs? up/, instead: 'release, close' },
  { pattern: /takes?|taken|took/, instead: 'acquire, claim' },
  { pattern: /patien(?:t|ts|ce|tly)/, instead: 'timeouts, check context' },
  { pattern: /rooms?/, instead: 'window, waiters' },
  // In the web app, members leave an account.
  { pattern: /leaves?|leaving/, instead: 'reconnect, lease', within: NOT_WEB },
  { pattern: /strides?/, instead: 'window size' },
  { pattern: /habits?|ladders?/, instead: 'provider limits, retry schedule' },
  { pattern: /manners?/, instead: 'options' },
  { pattern: /landmarks?/, instead: 'reference hosts' },
  { pattern: /reach/, instead: 'connectivity' },
  { pattern: /paces?|paced/, instead: 'rate limiter, rate limit' },
  { pattern: /greet(?:s|ing|ings)?/, instead: 'handshake' },
  { pattern: /inbox/, instead: 'reply buffer' },
  { pattern: /wires?/, instead: 'socket, or the format that is meant' },
  { pattern: /knowledge/, instead: 'probe cache' },
  { pattern: /ways? out|no way out/, instead: 'egress' },
  { pattern: /weigh(?:s|ed|ing|able|t ?ing)?/, instead: 'deliverability, estimate' },
  // A result chunk is a stored part of a job's results, and an offer is a price that is for sale.
  { pattern: /chunks?/, instead: 'recipients', within: ENGINE },
  { pattern: /offers?|offered/, instead: 'capabilities', within: ENGINE },

  // Requests and work.
  { pattern: /desks?/, instead: 'lookup, prober, runner or service' },
  { pattern: /tills?|lots?/, instead: 'charge, batch' },
  { pattern: /doors?/, instead: 'middleware, auth' },
  { pattern: /callers?|strangers?/, instead: 'client' },
  { pattern: /crowds?|turn(?:s|ed)? away/, instead: 'load, load shedding' },
  { pattern: /places?/, instead: 'slot, position, location' },
  { pattern: /brakes?|braked/, instead: 'operator controls' },
  { pattern: /aside|look around/, instead: 'standby, doctor run' },
  { pattern: /holds?|holders?|held/, instead: 'claim, lease, throttled' },
  { pattern: /gates?/, instead: 'semaphore' },
  { pattern: /gather(?:s|er|ers|ed)?/, instead: 'batcher' },
  { pattern: /beats?/, instead: 'heartbeat' },
  { pattern: /release (?:batches|deliveries)|released (?:batch|delivery)|releases/, instead: 'dispatch' },
  { pattern: /settl(?:e|es|ed|ing)/, instead: 'finish, record' },
  { pattern: /standing/, instead: 'stored' },
  // The web app says list where the API says job, and it has no reconciliation.
  { pattern: /lists/, instead: 'jobs, or the kind of list', within: NOT_WEB },
  { pattern: /audit(?:s|ed|or|ors)?/, instead: 'reconciliation', within: NOT_WEB },

  // Users and accounts.
  { pattern: /persons?|people/, instead: 'user, member' },
  // In the engine, a letter is a character of an address.
  { pattern: /letters?/, instead: 'email, notification', within: /^(?!packages\/engine\/)/ },
  // In the web app, a notice is a box on a page.
  { pattern: /notices?/, instead: 'notification', within: NOT_WEB },
  { pattern: /notices/, instead: 'notifications', within: /^apps\/web\// },
  { pattern: /organi[sz]ations?/, instead: 'account' },

  // American spelling.
  { pattern: /neighbours?/, instead: 'dependency, or American spelling' },
  {
    pattern: /(?:un)?recognis(?:e|ed|es)|normalis(?:e|ed|es)|cancelled|colours?|licences?/,
    instead: 'American spelling',
  },
]

/** Compounds in which a banned word has a meaning of its own. */
export const ALLOWED_NAMES: readonly RegExp[] = [
  /audit (?:log|entry|entries|filter|actors?|query|sheet|responses)|sign in audit/, // user actions; ledgers are reconciled
  /(?:result|text) lines/, // lines of text, as in JSON Lines
  /(?:domain|disposable|operator) lists/, // lists of domains; a customer's list is a job
  /settle batch(?:es)?/, // moves reserved credits, as `settle` in the ledger
]
