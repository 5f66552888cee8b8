import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { listShapeFaults, measureShape } from './shape.ts'
import { plant } from './test-workspace.ts'
import { readWorkspace } from './workspace.ts'

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

/** `count` files of `lines` lines in one folder. */
function plantFiles(folder: string, count: number, lines: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, n) => [`${folder}/file-${n}.ts`, '// line\n'.repeat(lines)]),
  )
}

const shapeFaults = (files: Record<string, string>) => listShapeFaults(readWorkspace(plant(files)))

test('listShapeFaults rejects product files over 400 lines, except tests, data tables and generated files', () => {
  const long = '// line\n'.repeat(401)
  const faults = shapeFaults({
    'packages/a/src/long.ts': long,
    'packages/a/src/long.test.ts': long,
    'packages/a/src/data/long.ts': long,
    'packages/a/src/generated/long.ts': long,
    'checks/src/long.ts': long,
  })
  expect(faults.map(({ path }) => path)).toEqual(['packages/a/src/long.ts'])
  expect(faults[0]?.message).toContain('has 401 lines')
})

test('listShapeFaults rejects folders with more than 25 files when there are more than two of them', () => {
  const two = { ...plantFiles('packages/a/src', 26, 1), ...plantFiles('apps/b/src', 26, 1) }
  expect(shapeFaults({ ...two, ...plantFiles('packages/c/src', 25, 1), ...plantFiles('checks/src', 26, 1) })).toEqual(
    [],
  )
  const schema = Object.fromEntries(Array.from({ length: 26 }, (_, n) => [`packages/c/schema/${n}.sql`, 'select 1;\n']))
  const faults = shapeFaults({ ...two, ...schema })
  expect(faults.map(({ path }) => path)).toEqual(['apps/b/src', 'packages/a/src', 'packages/c/schema'])
})

test('listShapeFaults rejects more than 12 files per 1,000 product lines of apps and packages together', () => {
  const large = plantFiles('packages/a/src', 10, 100)
  expect(shapeFaults({ ...large, ...plantFiles('apps/b/src', 2, 1) })).toEqual([])
  const faults = shapeFaults({ ...large, ...plantFiles('apps/b/src', 3, 1) })
  expect(faults).toMatchObject([{ message: expect.stringContaining('13 files per 1,000 product lines') }])
})
