import Type from 'typebox'

/** Where uploaded files are kept: for every app that reads them, so that it means the same in each. */
export const UPLOADS_SETTINGS = {
  UPLOADS_FOLDER: Type.Optional(
    Type.String({
      otherwise: "probity-uploads- and the user's id, in the system's folder for temporary files",
      description:
        'Where uploaded files are kept, the same for the api and the worker: with more than one host a folder that all share. With UPLOADS_S3_BUCKET, a folder of the host’s own, where a file lies while it is read.',
    }),
  ),
  UPLOADS_S3_BUCKET: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$',
      description: 'Keeps uploaded files in this bucket of an S3 server instead, with the keys below.',
    }),
  ),
  UPLOADS_S3_ENDPOINT: Type.Optional(
    Type.String({
      pattern: '^https?://[^/]+/?$',
      otherwise: "Amazon's of the region",
      description: 'The S3 server, as https://host.',
    }),
  ),
  UPLOADS_S3_REGION: Type.String({
    default: 'us-east-1',
    pattern: '^[A-Za-z0-9-]{1,64}$',
    description: "The bucket's region.",
  }),
  UPLOADS_S3_ACCESS_KEY_ID: Type.Optional(
    Type.String({ description: 'Who we are to the S3 server; needed with a bucket.' }),
  ),
  UPLOADS_S3_SECRET_ACCESS_KEY: Type.Optional(
    Type.String({ secret: true, description: 'The secret that goes with it; needed with a bucket.' }),
  ),
  UPLOADS_S3_PREFIX: Type.String({
    default: 'uploads/',
    pattern: '^([A-Za-z0-9_.-]+/)+$',
    description: 'What the names of our objects begin with, as folder/, so that a bucket can hold other things too.',
  }),
}
