/** Replaces control and bidi characters, so that text from a file or from the service cannot control the terminal. */
export function readable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\ufffd')
}
