/** As deploy/Dockerfile sets it. */
export const PATH = '/usr/lib/postgresql/17/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** The users of the image, as deploy/Dockerfile creates them. */
export type Login = { uid: number; gid: number }

export const LOGINS = {
  probity: { uid: 10001, gid: 10001 },
  /** With the group of the API, which lets it read uploads. */
  worker: { uid: 10003, gid: 10001 },
  postgres: { uid: 10004, gid: 10004 },
  redis: { uid: 10005, gid: 10005 },
} as const satisfies Record<string, Login>
