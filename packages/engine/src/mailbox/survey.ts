import { createHash } from 'node:crypto'
import type { Finding, MailboxAnswer, Said } from './answer.ts'
import { isSayable } from './command.ts'
import type { AcceptAll, DomainKnowledge } from './knowledge.ts'
import type { Line, Site } from './line.ts'
import type { MailNetwork, Question, Recipient } from './question.ts'
import type { Reason } from './reply.ts'

/** What is said of one recipient, or of all that are open. */
type Saying = { finding: Finding; host?: string | null; dialogue?: Said[]; again?: MailboxAnswer['again'] }

type Answered = Pick<MailboxAnswer, 'finding' | 'host' | 'dialogue' | 'again' | 'at' | 'ms'>

/** How far asking about one domain has got. */
export type Survey = {
  question: Question
  site: Site
  beganAt: number
  open: Set<Recipient>
  answers: Map<Recipient, Answered>
  acceptAll: { value: 'yes' | 'no' | 'untested'; source: MailboxAnswer['acceptAllSource'] }
  /** The recipient that cannot exist. It is needed when nothing but acceptance was heard. */
  control: Control
  /** In which words the domain refuses one that cannot exist, if that was seen. */
  refusal: string | undefined
  /** Hosts that have nothing more to tell us. */
  except: Set<string>
  /** Hosts that say they do not serve the domain; it is so when all of them do. */
  disowned: Set<string>
  fruitless: number
  /** What kept the rest from being asked, when it was last met. */
  trouble: Saying | undefined
}

type Control =
  | { kind: 'not_asked'; recipient: Recipient }
  | { kind: 'asked'; recipient: Recipient; said: Said; putOff?: { reason: Reason; afterMs: number | null } }

/** A survey that has somebody on the line. */
export type Interview = { survey: Survey; network: MailNetwork; line: Line }

export function beginSurvey(question: Question, site: Site, known: DomainKnowledge): Survey {
  const { domain, recipients } = question
  const survey: Survey = {
    question,
    site,
    beganAt: performance.now(),
    open: new Set(recipients),
    answers: new Map(),
    acceptAll: acceptAllAtFirst(known.acceptAll, site.habits.truthfulDomains.includes(domain)),
    control: { kind: 'not_asked', recipient: { path: controlFor(domain), needsUtf8: false } },
    refusal: known.refusal,
    except: new Set(),
    disowned: new Set(),
    fruitless: 0,
    trouble: undefined,
  }
  for (const recipient of recipients.filter(({ path }) => !isSayable(path))) {
    answer(survey, recipient, { finding: { kind: 'unasked', why: 'unencodable' } })
  }
  return survey
}

function acceptAllAtFirst(known: AcceptAll | undefined, truthful: boolean): Survey['acceptAll'] {
  if (truthful) return { value: 'no', source: 'provider' }
  return known ? { value: known.value, source: 'cache' } : { value: 'untested', source: 'live' }
}

/**
 * A mailbox that nobody has. Always the same one for a domain, so that a server that puts newcomers off (greylisting) knows it
 * when it is asked for again.
 */
function controlFor(domain: string): string {
  const digest = createHash('sha256').update(`control recipient of ${domain}`).digest()
  const letters = [...digest.subarray(0, 14)].map((byte) => LETTERS[byte % LETTERS.length]).join('')
  return `${letters}@${domain}`
}

const LETTERS = 'bcdfghjkmnpqrstvwxz'

/** Who is to be asked next: real recipients, and when they are through, the control where it is needed. */
export function nextRecipients(survey: Survey, max: number): Recipient[] {
  if (survey.open.size > 0) return [...survey.open].slice(0, max)
  return needsControl(survey) && max > 0 ? [survey.control.recipient] : []
}

/** One that the server did not know would have shown already that it does not take everybody. */
function needsControl({ acceptAll, control, answers }: Survey): boolean {
  if (acceptAll.value !== 'untested' || control.kind === 'asked') return false
  return [...answers].some(
    ([recipient, { finding }]) => finding.kind === 'accepted' && recipient.doesWithoutControl !== true,
  )
}

export function answer(survey: Survey, recipient: Recipient, saying: Saying): void {
  const { finding, host = null, dialogue = [], again } = saying
  const ms = performance.now() - survey.beganAt
  survey.open.delete(recipient)
  survey.answers.set(recipient, { finding, host, dialogue, at: Date.now() / 1000, ms, ...(again && { again }) })
}

/** Gives all that is open the same answer. */
export function answerAll(survey: Survey, saying: Saying): void {
  for (const recipient of survey.open) answer(survey, recipient, saying)
}

export async function finishSurvey(survey: Survey, { knowledge }: MailNetwork): Promise<MailboxAnswer[]> {
  // Who has not had their turn when the time is up gets it another time.
  answerAll(survey, survey.trouble ?? { finding: { kind: 'unanswered', why: 'timeout' }, again: { afterMs: null } })
  const { value, source } = survey.acceptAll
  if (value !== 'untested' && source === 'live') {
    await knowledge.learnDomain(survey.question.domain, whatWasLearnt(survey, value))
  }
  return survey.question.recipients.map((recipient) => {
    const found = survey.answers.get(recipient)
    if (found === undefined) throw new Error('a recipient without an answer')
    return { ...found, ...withControl(survey, recipient, found), acceptAll: value, acceptAllSource: source }
  })
}

function whatWasLearnt({ control, refusal }: Survey, value: AcceptAll['value']): DomainKnowledge {
  const evidence = control.kind === 'asked' ? 'control' : 'real_reject'
  return { acceptAll: { value, evidence, at: Date.now() / 1000 }, ...(refusal !== undefined && { refusal }) }
}

/** An acceptance is worth as much as the control makes it; while that is not known, it is worth asking again. */
function withControl(survey: Survey, recipient: Recipient, { finding, dialogue }: Answered): Partial<MailboxAnswer> {
  const { control, acceptAll, question } = survey
  if (finding.kind !== 'accepted') return {}
  if (control.kind === 'asked') {
    const said = [...dialogue, control.said]
    if (acceptAll.value !== 'untested') return { dialogue: said }
    const { reason, afterMs = null } = control.putOff ?? {}
    return { dialogue: said, again: { afterMs }, ...(reason && { untestedFor: reason }) }
  }
  if (acceptAll.value !== 'untested') return {}
  if (recipient.doesWithoutControl) return { untestedFor: 'not_wanted' }
  const isLate = performance.now() >= question.deadline
  return { again: { afterMs: null }, ...(isLate && { untestedFor: 'timeout' }) }
}
