/** The section of a version in CHANGELOG.md, without its heading. */
export function notesOf(changelog: string, version: string): string {
  const [, ...sections] = changelog.split(/^## /m)
  const section = sections.find((one) => one.split(/\s/, 1)[0]?.replace(/^\[|\]$/g, '') === version)
  if (section === undefined) throw new Error(`CHANGELOG.md has no section for ${version}`)
  return `${section.slice(section.indexOf('\n') + 1).trim()}\n`
}
