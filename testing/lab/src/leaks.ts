import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'

// Written anew instead of imported from the product: the search must not share a mistake with the code that it checks.
const SECRETS = /pb_(?:live|test)_[0-9A-Za-z]{30,}|[^\s"'<>@\\]*[^\s'<>@]@[^\s"'<>@\\]+/g
/** Package paths in stack traces contain names@versions, which are not email addresses. */
const PACKAGE_PATHS = /\S*node_modules\S*/g

/** All keys and email addresses in a file, or in all files of a folder, as "file:line kind". */
export function listLeaks(path: string): string[] {
  const files = statSync(path).isDirectory() ? readdirSync(path).map((name) => join(path, name)) : [path]
  return files.flatMap((file) => {
    const lines = readFileSync(file, 'utf8').split('\n')
    return lines.flatMap((line, n) =>
      (line.replace(PACKAGE_PATHS, '').match(SECRETS) ?? []).map((found) => `${basename(file)}:${n + 1} ${found}`),
    )
  })
}
