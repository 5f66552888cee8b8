import { TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox'
import fastJson from 'fast-json-stringify'
import type { FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify'
import type { TSchema } from 'typebox'

// Schemas are compiled when they are first needed. Compiling all of them at the start would double the startup time: most routes are
// registered twice, for keys and for users, and most of their responses are problems.

type Writer = (answer: unknown) => string
const writers = new WeakMap<object, Writer>()

/** Serializers of responses, shared by all routes with the same schema, such as that of problems. */
export const writeResponses: FastifySerializerCompiler<object> = ({ schema }) => {
  let write: Writer | undefined
  return (answer) => {
    write ??= writerOf(schema)
    return write(answer)
  }
}

function writerOf(schema: object): Writer {
  const made = writers.get(schema)
  if (made) return made
  const write = fastJson(schema)
  writers.set(schema, write)
  return write
}

/** Validator for a part of a request. */
export const checkRequests: FastifySchemaCompiler<TSchema> = (part) => {
  let check: ReturnType<typeof TypeBoxValidatorCompiler> | undefined
  return (value) => {
    check ??= TypeBoxValidatorCompiler(part)
    return check(value)
  }
}
