import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { measureShape } from './shape.ts'
import { plant } from './test-workspace.ts'

const LONG_FUNCTION = `export function long(): void {\n${'  void 0\n'.repeat(60)}}\n`

test('measureShape counts product files, large folders, long functions and cycles', () => {
  const folder = Object.fromEntries(
    Array.from({ length: 26 }, (_, n) => [`packages/b/src/file-${n}.ts`, 'export const n = 1\n']),
  )
  const root = plant({
    'packages/a/src/one.ts': "import { two } from './two.ts'\nexport const one = two\n",
    'packages/a/src/two.ts': "import type { one } from './one.ts'\nexport const two: typeof one = 1\n",
    'packages/a/src/one.test.ts': 'export {}\n',
    'packages/a/src/test-helper.ts': 'export {}\n',
    'packages/a/src/data/table.ts': 'export const TABLE = []\n',
    'packages/a/src/long.ts': LONG_FUNCTION,
    'packages/a/src/large.ts': '// line\n'.repeat(401),
    ...folder,
  })
  execFileSync('git', ['init', '-q'], { cwd: root })
  execFileSync('git', ['add', '.'], { cwd: root })

  const shape = measureShape(root)

  expect(shape.packages).toEqual([
    { name: 'packages/a', files: 4, lines: 467, filesPer1000Lines: 8.6, longestFunction: 62, smallFiles: 2 },
    { name: 'packages/b', files: 26, lines: 26, filesPer1000Lines: 1000, longestFunction: 0, smallFiles: 0 },
  ])
  expect(shape.largeFolders).toEqual([{ folder: 'packages/b/src', files: 26 }])
  expect(shape.longFiles).toEqual([{ path: 'packages/a/src/large.ts', lines: 401 }])
  expect(shape.longFunctions).toEqual([{ path: 'packages/a/src/long.ts', line: 1, lines: 62 }])
  expect(shape.smallFiles).toEqual(['packages/a/src/one.ts', 'packages/a/src/two.ts'])
  expect(shape.cycles.map((cycle) => cycle.toSorted())).toEqual([['packages/a/src/one.ts', 'packages/a/src/two.ts']])
})
