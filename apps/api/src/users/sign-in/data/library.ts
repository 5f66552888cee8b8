/** The path that the sign-in library is configured with. */
export const AUTH_PATH = '/app/api/auth'

/** Header that passes the client's IP address to the library. It is never taken from a client. */
export const ADDRESS_HEADER = 'x-probity-address'
