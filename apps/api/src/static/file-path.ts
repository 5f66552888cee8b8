/** The longest path of our files has under a hundred characters. Longer ones end at a limit of the file system. */
const PATH_UNITS_MAX = 300

/** A backslash, a control character, an empty segment or one that starts with a dot. */
const IN_NO_PATH = /[\\\p{Cc}]|(^|\/)[./]/u

/** Whether a decoded path below a folder of pages can be the path of a file or a page. The static file plugin fails for some that cannot. */
export function isFilePath(path: string): boolean {
  return path.length <= PATH_UNITS_MAX && !IN_NO_PATH.test(path)
}
