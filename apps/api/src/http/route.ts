import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyPluginOptions } from 'fastify'

/** A plugin that serves the routes of one path. Its options are its dependencies, which each route names. */
export type Route<Dependencies extends FastifyPluginOptions = FastifyPluginOptions> =
  FastifyPluginAsyncTypebox<Dependencies>
