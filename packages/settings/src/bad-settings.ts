/** One setting that cannot be used. What is said of it never holds its value: it may be a secret. */
export type SettingFault = { name: string; says: string }

/** Settings that cannot be used, all of them at once, each with the line it stands in where it came from a file. */
export class BadSettings extends Error {
  readonly faults: SettingFault[]

  constructor(faults: SettingFault[], whereIs: (name: string) => string | undefined = () => undefined) {
    const lines = faults.map(({ name, says }) => {
      const place = whereIs(name)
      return `  ${place === undefined ? '' : `${place}: `}${says}`
    })
    super(['These settings cannot be used:', ...lines].join('\n'))
    this.faults = faults
  }
}
