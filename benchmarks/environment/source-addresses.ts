/**
 * Number of source addresses of one benchmark: with thousands of connections, each has a few, far below
 * CONNECTIONS_PER_NETWORK_MAX.
 */
const ADDRESSES = 1_000
const PER_BLOCK = 250

/**
 * The source address of the n-th connection on loopback (127.1.x.y). The API limits the connections of each client
 * network, and the clients of a benchmark represent clients of many networks.
 */
export function sourceAddress(n: number): string {
  const index = n % ADDRESSES
  return `127.1.${Math.floor(index / PER_BLOCK)}.${(index % PER_BLOCK) + 1}`
}
