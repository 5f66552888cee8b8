/** One of our ways out, with the name and the sender it goes by. One identity each, for as long as it is used. */
export type Egress = {
  /** Names it in pace tables and in what must be asked again from the same place. */
  name: string
  /** Our full host name; its address must point back to it. */
  heloName: string
  /** An address of ours that takes mail. */
  mailFrom: string
  /** The local address to connect from, where it matters. */
  localAddress?: string
  /** A proxy to go through. */
  socks5?: { host: string; port: number; username?: string; password?: string }
}
