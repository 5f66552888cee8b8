/** Licenses that require no more than a notice, by SPDX id. */
export const ALLOWED_LICENCES = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
]

/** Accepted packages with another license, each with its reason. */
export const LICENCE_EXCEPTIONS: { name: string; licence: string; because: string }[] = [
  {
    name: '@fontsource-variable/geist',
    licence: 'OFL-1.1',
    because: 'a typeface, served as it is and not sold by itself',
  },
  { name: '@fontsource-variable/geist-mono', licence: 'OFL-1.1', because: 'as above' },
]
