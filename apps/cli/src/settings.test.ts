import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatKey } from '@probity/contract/constants/keys'
import { expect, test } from 'vitest'
import { getKey, readConfigFile, readSettings, saveConfig, withProfile } from './settings.ts'

const [LIVE, TEST, OTHER] = [
  formatKey('live', 'a'.repeat(32)),
  formatKey('test', 'b'.repeat(32)),
  formatKey('live', 'c'.repeat(32)),
]
const CONFIG = {
  current_profile: 'live',
  profiles: {
    live: { api_key: LIVE, base_url: 'https://live.example.com' },
    test: { api_key: TEST, base_url: 'https://test.example.com' },
  },
}

function openHome(config: unknown = CONFIG) {
  const home = mkdtempSync(join(tmpdir(), 'probity-settings-'))
  const path = join(home, '.config/probity/config.json')
  mkdirSync(join(home, '.config/probity'), { recursive: true })
  if (config !== undefined) writeFileSync(path, JSON.stringify(config), { mode: 0o600 })
  return { home, path }
}

function read(env: Record<string, string>, flags: { profile?: string; baseUrl?: string } = {}, config?: unknown) {
  const { key, baseUrl, profile } = readSettings({ HOME: openHome(config).home, ...env }, flags)
  return [profile, key?.text, baseUrl]
}

test('flags take precedence over the environment, and the environment over the current profile', () => {
  expect(read({})).toEqual(['live', LIVE, 'https://live.example.com'])
  expect(read({ PROBITY_PROFILE: 'test' })).toEqual(['test', TEST, 'https://test.example.com'])
  const env = { PROBITY_API_KEY: OTHER, PROBITY_BASE_URL: 'https://env.example.com', PROBITY_PROFILE: 'live' }
  expect(read(env)).toEqual(['live', OTHER, 'https://env.example.com'])
  expect(read(env, { profile: 'test' })).toEqual(['test', TEST, 'https://test.example.com'])
  const flags = { profile: 'test', baseUrl: 'https://flag.example.com' }
  expect(read(env, flags)).toEqual(['test', TEST, 'https://flag.example.com'])
  expect(read({ PROBITY_API_KEY: '', PROBITY_PROFILE: '' }, {}, { profiles: {} })).toEqual([
    'default',
    undefined,
    'http://localhost:3000',
  ])
})

test.each(['none', 'constructor'])('the missing profile %s is an error', (profile) => {
  expect(() => read({}, { profile })).toThrow(`There is no profile ${profile}.`)
  expect(() => read({ PROBITY_PROFILE: profile })).toThrow(`There is no profile ${profile}.`)
  expect(() => read({}, { profile: '../x' })).toThrow('A profile name has')
})

test('a configuration that other users can read is not used', () => {
  const { home, path } = openHome()
  chmodSync(path, 0o644)
  expect(() => getKey(readSettings({ HOME: home }, {}))).toThrow(`Other users can read ${path}`)
})

test.each(['{', '[]', '{"profiles":[]}', '{"profiles":{"a":1}}'])(
  'the damaged configuration %s is not overwritten',
  async (text) => {
    const { home, path } = openHome()
    writeFileSync(path, text)
    expect(() => getKey(readSettings({ HOME: home }, {}))).toThrow('is not a configuration')
    await expect(saveConfig(readConfigFile(path), CONFIG)).rejects.toThrow('is not a configuration')
    expect(readFileSync(path, 'utf8')).toBe(text)
  },
)

test('saveConfig writes for the owner only and removes a configuration without profiles', async () => {
  const { path } = openHome()
  const file = readConfigFile(path)
  const changed = withProfile(file.config, 'new', { base_url: 'https://new.example.com' })
  await saveConfig(file, changed)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readConfigFile(path).config).toEqual(changed)
  const withoutLive = withProfile(changed, 'live', undefined)
  expect(withoutLive.current_profile).toBe('default')
  await saveConfig(file, { current_profile: 'default', profiles: {} })
  expect(existsSync(path)).toBe(false)
})
