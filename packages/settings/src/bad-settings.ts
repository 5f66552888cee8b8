/** One invalid setting. The message never contains the value, which may be a secret. */
export type SettingFault = { name: string; says: string }

/** All invalid settings at once, each with file and line if it is from the settings file. */
export class BadSettings extends Error {
  readonly faults: SettingFault[]

  constructor(faults: SettingFault[], whereIs: (name: string) => string | undefined = () => undefined) {
    const lines = faults.map(({ name, says }) => {
      const place = whereIs(name)
      return `  ${place === undefined ? '' : `${place}: `}${says}`
    })
    super(['Invalid settings:', ...lines].join('\n'))
    this.faults = faults
  }
}
