import type { MailboxAnswer } from './answer.ts'
import { askChunk } from './chunk.ts'
import { habitsOf } from './habits.ts'
import { hear } from './hear.ts'
import { siteKey } from './line.ts'
import type { MailNetwork, Question } from './question.ts'
import { errorsLeft, isWorthKeeping, roomOn } from './room.ts'
import { answer, answerAll, beginSurvey, finishSurvey, type Interview, nextRecipients, type Survey } from './survey.ts'
import { meetNoLine, meetSilence } from './trouble.ts'

/** Times in a row that nobody answers anything; then the rest stays unanswered. */
const FRUITLESS_MAX = 2

/**
 * Finds out from the mail servers of a domain which of its addresses exist: real recipients first, as many per connection as the
 * server bears, and at the end one that cannot exist, if nothing else has shown yet whether the domain takes everything. The
 * answers come in the order of the recipients. Who did not get to answer is left unanswered; nobody is condemned for that.
 */
export async function askDomain(question: Question, network: MailNetwork): Promise<MailboxAnswer[]> {
  const { domain, provider, hosts, deadline } = question
  const habits = habitsOf(provider, network.habits)
  const known = await network.knowledge.ofDomain(domain)
  const survey = beginSurvey(question, { key: siteKey(provider, hosts), provider, hosts, habits }, known)
  if (habits.probe === 'D') answerAll(survey, { finding: { kind: 'unasked', why: 'provider_unverifiable' } })
  else if (known.acceptAll?.value === 'yes') answerAll(survey, { finding: { kind: 'unasked', why: 'known_catch_all' } })
  else if (network.isOpen?.() === false) answerAll(survey, { finding: { kind: 'unasked', why: 'no_egress' } })

  const roundsMax = question.recipients.length + 2 * FRUITLESS_MAX
  for (let round = 0; round < roundsMax && isUnfinished(survey); round += 1) {
    if (survey.fruitless >= FRUITLESS_MAX || performance.now() >= deadline) break
    const taken = await network.lines.take({ site: survey.site, except: survey.except, deadline })
    if (taken.kind !== 'line') {
      await meetNoLine(survey, network, taken)
      break
    }
    await askOver({ survey, network, line: taken.line })
  }
  return finishSurvey(survey, network)
}

function isUnfinished(survey: Survey): boolean {
  return nextRecipients(survey, 1).length > 0
}

/** Asks what is open on one line, for as long as the line is good for it. */
async function askOver(interview: Interview): Promise<void> {
  const { survey, network, line } = interview
  const before = { answered: survey.answers.size, asked: line.asked }
  if (!line.offers.utf8) leaveOutUtf8(survey, line.host)

  let usable = true
  while (usable && isUnfinished(survey) && performance.now() < survey.question.deadline) {
    const recipients = nextRecipients(survey, roomOn(line))
    const isWorthIt = isWorthKeeping(line) || survey.open.size <= errorsLeft(line)
    if (recipients.length === 0 || !isWorthIt) break
    usable = await hear(interview, recipients, await askChunk(interview, recipients))
  }

  // A line that was free may have been closed by the server just as we took it: that tells nothing about the server.
  const isStale = !usable && before.asked > 0 && line.asked === before.asked
  const isSilent = survey.answers.size === before.answered && survey.control.kind === 'not_asked'
  if (isSilent && !isStale) meetSilence(survey, line.host)
  if (usable) network.lines.giveBack(line)
  else network.lines.hangUp(line, survey.question.deadline)
}

/** RFC 6531 §3.2: without the server's offer such an address must not be sent. Another host of the domain offers no more. */
function leaveOutUtf8(survey: Survey, host: string): void {
  for (const recipient of [...survey.open].filter(({ needsUtf8 }) => needsUtf8)) {
    answer(survey, recipient, { finding: { kind: 'unasked', why: 'smtputf8_unsupported' }, host })
  }
}
