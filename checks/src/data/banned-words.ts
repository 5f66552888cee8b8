/**
 * Words and patterns that user-facing text does not contain, and the words to use instead. docs/glossary.md explains the terms.
 * `(?<!…)` and `(?!…)` leave out the meanings that are allowed.
 */
export const BANNED_WORDS: readonly (readonly [pattern: RegExp, instead: string])[] = [
  // Indefinite persons: name the component, the user or the client.
  [/\b(?:some|no|every|any)body(?:'s|’s)?\b/i, 'the user, client or component that is meant'],
  [/\bwho(?:m|se)?ever\b/i, 'the user, client or component that is meant'],

  // Sentences whose subject is a clause: "What costs a credit is refused."
  [/(?:^|[.:!] )(?:Who|Whom|What) [^?]*?[.](?: |$)/, 'a noun as the subject'],

  // Metaphors and paraphrases of terms that the field has.
  [/\b(?:bears?|bore|borne|bearing)\b/i, 'limit, accept or tolerance'],
  [/\bstands? (?:in|there|for|still|beside|at|on|behind)\b/i, 'is, is stored in, is stalled'],
  [/\b(?:speaks?|spoke|spoken|speaking) (?:for|against)\b/i, 'positive or negative signal'],
  [/\bvouch(?:es|ed)?\b/i, 'confirm'],
  [
    /\b(?:mail )?(?:servers?|providers?|resolvers?|site|domains?) (?:is|are|was|were|be|been|being) (?:not )?(?:ever )?asked\b/i,
    'probe, query',
  ],
  [
    /\bask(?:s|ed|ing)? (?:a |an |the |its |their |real |any |no |that |each |every |our |other )?(?:mail |name )?(?:servers?|providers?|mailbox(?:es)?|resolvers?)\b/i,
    'probe, query',
  ],
  [/\bask(?:s|ed|ing)? (?:it |us |them )?(?:again|about|to come)\b/i, 'retry, validate, request'],
  [
    /\b(?:is|are|was|were|be|been|being) (?:not )?told\b|\btold of\b|\btells? (?:us|nobody|everybody|nothing|apart)\b/i,
    'is notified, receives, is distinguished',
  ],
  [/\b(?:is|are|was|were|be|been|being|stays?|while \w+ is) away\b/i, 'is unavailable, is down'],
  [/\b(?:turn(?:s|ed|ing)?|sen[dt]s?|keeps?|kept) (?:us |them |it )?away\b/i, 'reject, shed, suspend'],
  [/\bunder way\b/i, 'in progress'],
  [/\bhosters?\b/i, 'hosting provider'],
  [/\bjust now\b/i, 'currently, or nothing'],
  [/\bof late\b/i, 'recently'],
  [/\b(?:goes|go|went|going) on\b(?! (?:sale|hold))/i, 'continue, resume'],
  [/\bfor good\b/i, 'permanently'],
  [/\bfor ever\b/i, 'permanently'],
  [/\b(?:it|they) holds?\b(?! (?:a|an|the|at|up|\d))/i, 'takes effect, is true'],
  [/\b(?:the|our|its) books\b/i, 'ledger'],
  [/\b(?:add|adds|added) up\b/i, 'reconcile, equal'],
  [
    /\bletters?\b(?!,| (?:and|or|case)| [a-z] ?[-–]| from a)(?<!(?:capital|upper-case|lower-case|case|two|three|single|one|first|block|initial|small|drive|or|and|of \d+|\d|foreign|Latin|Cyrillic|Greek|accented|of) letters?)/i,
    'email, notification',
  ],
  [/\bways? out\b/i, 'egress'],
  [/\b(?:gives?|gave|given|giving|hand(?:s|ed)?) (?:it |them |that |this )?back\b/i, 'refund, release, return'],
  [/\b(?:comes?|came|coming) back\b/i, 'retry, bounce, recover, return'],
  [/\bset(?:s|ting)? aside\b/i, 'reserve'],
  [/\bput(?:s|ting)? (?:it |them |us |everybody |everyone )?off\b/i, 'defer'],
  [/\blet(?:s|ting)? (?:it |them |us |\w+ )?(?:out|in)\b(?! of| the)/i, 'dispatch, allow'],
  [/\b(?:is|are|was|were) gone\b/i, 'is deleted, has expired'],
  [/\bno more\b(?! than)/i, 'no longer'],
  [/\bany ?more\b(?! than)/i, 'no longer'],
  [/\bsuch an?\b/i, 'this, or the noun'],
  [/\bhands? out addresses\b|\bthrown away\b|\bthrow-?away\b/i, 'disposable'],
  [
    /\b(?:is|are|was|were|be|being) worked on\b|\bworked on further\b|\bworks? on it\b/i,
    'in progress, active, processed',
  ],
  [/\bneighbou?rs?\b/i, 'dependency'],
  [/\bhabits?\b/i, 'provider limits'],
  [/\bladders?\b/i, 'retry schedule'],
  [/\b(?:sign|signs) of life\b|\bheard of\b|\bheard from\b/i, 'heartbeat'],
  [/\bauditors?\b/i, 'reconciliation'],
  [/\bgone over\b|\bgoes over\b|\bwent over\b/i, 'reconciled, checked'],
  [/\bchances?\b(?! of collision)/i, 'deliverability, probability'],
  [/\bhardly\b/i, 'a number, or rarely'],
  [/\bnewcomers?\b/i, 'first-time sender'],
  [/\bstrangers?\b/i, 'client, untrusted'],
  [/\bfell? silent\b|\b(?:is|are|was|were|stays?|kept|keeps) silent\b|\bsilences?\b/i, 'no response, no heartbeat'],
  [/\bhangs? up\b|\bhung up\b|\bbroke off\b|\bbreaks? off\b/i, 'closes the connection, interrupted'],
  [/\bleads? back\b/i, 'reverse DNS, PTR'],
  [/\bsays? yes\b|\bsays? no\b|\bsaid yes\b|\bsaid no\b/i, 'accepts, rejects'],
  [/\bname to go by\b|\bgo by the\b|\bgoes by\b/i, 'HELO name, uses'],
  [/\bword on\b|\bown word\b|\bhas no say\b|\bhave no say\b/i, 'SMTP result, not used'],
  [/\btakes? no mail\b|\btakes? mail\b|\btook mail\b/i, 'accepts mail'],
  [/\btake (?:it |them )?along\b|\btakes? leave\b/i, 'export, shut down'],
  [/\b(?:made|make|making) (?:a |the |your |its |new )?(?:key|keys|token|webhook|webhooks)\b/i, 'create'],
  [/\borgani[sz]ations?\b/i, 'account'],
  [/\bdays? (?:is|are|was|were) over\b/i, 'expired'],
  [/\blooked at\b|\blooks? at it\b/i, 'reviewed, checked'],
  [/\bmends?\b|\bmended\b/i, 'fix'],
  [/\bgets? to know\b|\bhow we know\b|\bwhat is known\b/i, 'evidence'],
  [/\bthe world\b/i, 'the internet, the simulation'],
  [/\bsee to\b|\bsees to\b/i, 'ensure, handle'],

  // American spelling.
  [
    /\b(?:cancelled|cancelling|behaviours?|colours?|colou?red|licence|catalogue|recognis\w*|normalis\w*|summaris\w*|serialis\w*|initialis\w*|authoris\w*|minimis\w*|maximis\w*|optimis\w*|customis\w*|favour\w*|honour\w*|centre|grey out|labelled|modelled|utilis\w*|analys(?:e|es|ed|ing)|defence|offence|fulfil|programme)\b/i,
    'American spelling',
  ],
]
