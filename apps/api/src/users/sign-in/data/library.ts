/** Where the sign-in library believes it is mounted. */
export const AUTH_PATH = '/app/api/auth'

/** The header by which we tell the library where a request comes from. It is never taken from outside. */
export const ADDRESS_HEADER = 'x-probity-address'
