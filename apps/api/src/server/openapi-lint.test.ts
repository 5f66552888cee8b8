import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'
import { expect, test } from 'vitest'
import { describeApp } from './describe-app.ts'
import { finishDocument, type OpenApiDocument } from './openapi.ts'

const document = finishDocument((await describeApp()).swagger() as unknown as OpenApiDocument)

async function lint(linted: object): Promise<string[]> {
  const spectral = new spectralCore.Spectral()
  spectral.setRuleset({ extends: [rulesets.oas as RulesetDefinition] })
  const findings = await spectral.run(linted as Record<string, unknown>)
  return findings.map(({ code, path, message }) => `${code} ${path.join('/')} ${message}`)
}

test('the document passes the rules of Spectral for OpenAPI without a finding', async () => {
  expect(await lint(document)).toEqual([])
})

test('Spectral reports a tag that is not declared', async () => {
  const { openapi, info, servers } = document as OpenApiDocument & Record<string, unknown>
  const responses = { 200: { description: 'Planted.' } }
  const get = { operationId: 'getPlanted', description: 'Planted.', tags: ['Planted'], responses }
  const planted = { openapi, info, servers, tags: [], paths: { '/planted': { get } } }
  expect(await lint(planted)).toEqual([expect.stringContaining('operation-tag-defined')])
})
