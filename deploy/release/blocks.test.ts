import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../check/page.ts'
import { readReleaseBlocks } from './blocks.ts'

const blocks = readReleaseBlocks('docker')

test('the blocks for Docker build, run and wait for the image of the Dockerfile', () => {
  const dockerfile = readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8')
  const [, file = ''] = /docker build --file (\S+) /.exec(blocks) ?? []
  expect(existsSync(join(ROOT, file))).toBe(true)
  const [, port = ''] = /--publish 127\.0\.0\.1:3000:(\d+) /.exec(blocks) ?? []
  expect(dockerfile).toMatch(new RegExp(`^EXPOSE ${port}$`, 'm'))
  const [, volume = ''] = /--volume probity:(\S+) /.exec(blocks) ?? []
  expect(dockerfile).toContain(`VOLUME ["${volume}"]`)
  const [, line = ''] = /grep '([^']+)'/.exec(blocks) ?? []
  expect(readFileSync(join(ROOT, 'deploy/solo/main.ts'), 'utf8')).toContain(`\`${line}: `)
})

test('readReleaseBlocks rejects a name without blocks', () => {
  expect(() => readReleaseBlocks('nowhere')).toThrow('no block is marked with "release: nowhere"')
})
