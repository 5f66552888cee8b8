/** The largest file that is taken. In a file of its own: pages refuse a larger one without sending it, and need no schemas for that. */
export const FILE_BYTES_MAX = 50 * 1024 * 1024
