/** For tests: the addresses that take longest to parse, each at a different internationalized domain of almost 253 octets. */
export function longInternationalAddresses(count: number): string[] {
  return Array.from({ length: count }, (_, n) => {
    const label = `bücher-größe-übermäßig-schön-${n}`
    return `${'Ü'.repeat(5)}${n}@a${label}.b${label}.c${label}.d${label}.example`
  })
}
