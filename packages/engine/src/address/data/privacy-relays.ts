/**
 * Services that assign addresses which forward to a hidden mailbox. Unlike a disposable address, such an address is used by one person
 * for years. Subdomains count too, because some services put the user's name there. Not listed: `icloud.com`, since Apple's relay shares
 * it with ordinary mailboxes.
 */
export const PRIVACY_RELAYS = {
  'addy.io': 'addy.io',
  'addymail.com': 'addy.io',
  'anonaddy.com': 'addy.io',
  'anonaddy.me': 'addy.io',
  '4wrd.cc': 'addy.io',
  'mailer.me': 'addy.io',
  'privaterelay.appleid.com': 'Apple, Sign in with Apple',
  'duck.com': 'DuckDuckGo Email Protection',
  'erine.email': 'erine.email',
  'opayq.com': 'IronVest, formerly Blur',
  'mozmail.com': 'Firefox Relay',
  'relay.firefox.com': 'Firefox Relay',
  'passfwd.com': 'Proton Pass',
  'passinbox.com': 'Proton Pass',
  'passmail.com': 'Proton Pass',
  'passmail.net': 'Proton Pass',
  '8alias.com': 'SimpleLogin',
  '8shield.net': 'SimpleLogin',
  'aleeas.com': 'SimpleLogin',
  'dralias.com': 'SimpleLogin',
  'silomails.com': 'SimpleLogin',
  'simplelogin.co': 'SimpleLogin',
  'simplelogin.com': 'SimpleLogin',
  'simplelogin.fr': 'SimpleLogin',
  'simplelogin.io': 'SimpleLogin',
  'slmail.me': 'SimpleLogin',
  'slmails.com': 'SimpleLogin',
} as const satisfies Record<string, string>
