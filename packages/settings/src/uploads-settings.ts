import Type from 'typebox'

/** Storage of uploaded files, shared by every program that reads them. */
export const UPLOADS_SETTINGS = {
  UPLOADS_FOLDER: Type.Optional(
    Type.String({
      otherwise: 'probity-uploads-UID in the temporary folder of the system',
      description:
        'Folder for uploaded files, the same for the API and the worker; with several hosts, a shared folder. With PROBITY_UPLOADS_S3_BUCKET, a local folder for files while they are read.',
    }),
  ),
  UPLOADS_S3_BUCKET: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$',
      description: 'S3 bucket for uploaded files, instead of the folder. Requires both access keys.',
    }),
  ),
  UPLOADS_S3_ENDPOINT: Type.Optional(
    Type.String({
      pattern: '^https?://[^/]+/?$',
      otherwise: 'Amazon S3 in the region',
      description: 'S3 endpoint: https://host.',
    }),
  ),
  UPLOADS_S3_REGION: Type.String({
    default: 'us-east-1',
    pattern: '^[A-Za-z0-9-]{1,64}$',
    description: 'Region of the bucket.',
  }),
  UPLOADS_S3_ACCESS_KEY_ID: Type.Optional(Type.String({ description: 'S3 access key id. Required with a bucket.' })),
  UPLOADS_S3_SECRET_ACCESS_KEY: Type.Optional(
    Type.String({ secret: true, description: 'S3 secret access key. Required with a bucket.' }),
  ),
  UPLOADS_S3_PREFIX: Type.String({
    default: 'uploads/',
    pattern: '^([A-Za-z0-9_.-]+/)+$',
    description: 'Prefix of object names: folder/. Lets the bucket contain other objects.',
  }),
}
