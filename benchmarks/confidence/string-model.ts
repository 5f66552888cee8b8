import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { looksMachineGenerated, plausibilityOf, STRING_MODEL } from '@probity/engine/address/plausibility'
import { makeLabelled } from '@probity/model/train'
import { areaUnderCurve, calibrationError, claimsOf, intervalOf, intervalOfArea, reliability } from './figures.ts'
import { listBlindSpots, listLetters, listMachines, listMashes } from './generated-strings.ts'
import { listHandles, listNamed, type StringGroup } from './named-strings.ts'

/** The figures of a smaller group are not meaningful. */
const GROUP_SIZE_MIN = 250

/** The share of flagged names at which groups are also compared: at the product's threshold too few are flagged. */
const STRICT_SHARE = 0.01

/** A string with its score: undefined when the model returns none. */
type Judged = { text: string; logit: number | undefined; flagged: boolean }
type JudgedGroup = { group: string; source: string; strings: Judged[] }

/**
 * The string model on strings that it was not trained on. Figures without a name are for `handles`, which real users
 * chose and which are the hardest to distinguish from machine strings; generated addresses of real names have their own
 * figures.
 */
export function measureStrings() {
  const learnt = new Set(makeLabelled().map(({ text }) => text))
  const judge = (group: StringGroup) => judgeUnseen(group, learnt)
  const handles = judge(listHandles())
  const named = listNamed().map(judge)
  const machines = listMachines().map(judge)
  const mashes = listMashes().map(judge)
  const all = [handles, ...named, ...machines, ...mashes, ...listBlindSpots().map(judge)]

  const people = logitsOf([handles])
  const nonsense = logitsOf([...machines, ...mashes])
  const bins = reliability(claimsOf(people, nonsense))
  return {
    model: STRING_MODEL,
    auc_strings: areaUnderCurve(people, nonsense),
    auc_strings_interval: intervalOfArea(people, nonsense),
    auc_mash: areaUnderCurve(people, logitsOf(mashes)),
    auc_mash_interval: intervalOfArea(people, logitsOf(mashes)),
    auc_names: areaUnderCurve(logitsOf(named), nonsense),
    false_flags: shareFlagged([handles]),
    false_flags_names: shareFlagged(named),
    caught: shareFlagged([...machines, ...mashes]),
    ...compareGroups(handles, named),
    ece_string: calibrationError(bins),
    ece_names: calibrationError(reliability(claimsOf(logitsOf(named), nonsense))),
    us_scorer: measureMicroseconds(all),
    model_kb: modelBytes() / 1024,
    groups: Object.fromEntries(all.map((group) => [group.group, summarise(group)])),
    lengths: byLength(handles, judge),
    calibration: bins,
    sources: listSources(all),
  }
}

function judgeUnseen({ group, source, texts }: StringGroup, learnt: ReadonlySet<string>): JudgedGroup {
  const strings = texts
    .filter((text) => !learnt.has(text))
    .map((text) => {
      const plausibility = plausibilityOf(text)
      const logit = plausibility.kind === 'scored' ? plausibility.logit : undefined
      return { text, logit, flagged: looksMachineGenerated(plausibility) }
    })
  return { group, source, strings }
}

function logitsOf(groups: readonly JudgedGroup[]): number[] {
  return groups.flatMap(({ strings }) => strings.flatMap(({ logit }) => logit ?? []))
}

/** The share of all strings, including those without a score: they are not flagged. */
function shareFlagged(groups: readonly JudgedGroup[]): number {
  return shareOf(groups, ({ flagged }) => flagged)
}

function shareOf(groups: readonly JudgedGroup[], wanted: (string: Judged) => boolean): number {
  const strings = groups.flatMap((group) => group.strings)
  return strings.filter(wanted).length / strings.length
}

/**
 * The groups with the highest false-positive rate, as a multiple of the overall rate: at the product's threshold and at
 * a stricter one.
 */
function compareGroups(handles: JudgedGroup, named: readonly JudgedGroup[]) {
  const large = named.filter(({ strings }) => strings.length >= GROUP_SIZE_MIN)
  const scores = logitsOf(large).toSorted((a, b) => a - b)
  const strict = scores[Math.floor(STRICT_SHARE * large.flatMap(({ strings }) => strings).length)] ?? 0
  const isBelow = ({ logit }: Judged) => logit !== undefined && logit < strict
  const worst = findWorst(large, ({ flagged }) => flagged)
  const worstStrict = findWorst(large, isBelow)
  return {
    worst_group: worst.rate / shareFlagged([handles, ...named]),
    worst_group_name: worst.group,
    worst_group_rate: worst.rate,
    worst_group_strict: worstStrict.rate / shareOf(large, isBelow),
    worst_group_strict_name: worstStrict.group,
    strict_threshold: strict,
  }
}

function findWorst(
  groups: readonly JudgedGroup[],
  wanted: (string: Judged) => boolean,
): { group: string; rate: number } {
  const rates = groups.map((group) => ({ group: group.group, rate: shareOf([group], wanted) }))
  return rates.toSorted((a, b) => b.rate - a.rate)[0] ?? { group: '', rate: 0 }
}

function summarise(group: JudgedGroup) {
  const { strings, source } = group
  const flagged = strings.filter((string) => string.flagged).length
  return {
    n: strings.length,
    source,
    flagged: flagged / strings.length,
    interval: intervalOf(flagged, strings.length),
    abstained: shareOf([group], ({ logit }) => logit === undefined),
  }
}

const LENGTHS = [5, 6, 7, 8, 9, 10, 11, 12, 14]

/** Short strings carry little information: handles of each length against random letters of the same length. */
function byLength(handles: JudgedGroup, judge: (group: StringGroup) => JudgedGroup) {
  return LENGTHS.map((length) => {
    const people = { ...handles, strings: handles.strings.filter(({ text }) => text.length === length) }
    const letters = judge(listLetters(length))
    return {
      length,
      n: people.strings.length,
      auc: areaUnderCurve(logitsOf([people]), logitsOf([letters])),
      false_flags: shareFlagged([people]),
      caught: shareFlagged([letters]),
    }
  })
}

const ROUNDS = 7

/** The fastest of several rounds over all strings, which is least affected by other load. */
function measureMicroseconds(groups: readonly JudgedGroup[]): number {
  const texts = groups.flatMap(({ strings }) => strings.map(({ text }) => text))
  const rounds = Array.from({ length: ROUNDS }, () => {
    const start = performance.now()
    for (const text of texts) plausibilityOf(text)
    return ((performance.now() - start) * 1000) / texts.length
  })
  return Math.min(...rounds)
}

function modelBytes(): number {
  return statSync(fileURLToPath(import.meta.resolve('@probity/engine/address/data/string-model'))).size
}

/** The packages of the strings, with their version and license. */
function listSources(groups: readonly JudgedGroup[]) {
  const names = new Set(groups.flatMap(({ source }) => source.split(', ')))
  return [...names].toSorted().map((name) => {
    if (name === OWN || name.startsWith('node:')) return { name, version: '', licence: '' }
    const path = join(import.meta.dirname, '../node_modules', name, 'package.json')
    const { version, license } = JSON.parse(readFileSync(path, 'utf8')) as { version: string; license: string }
    return { name, version, licence: license }
  })
}

/** Sources of the groups whose strings come from no package. */
const OWN = 'written for the evaluation'
