/** Names of every simulation with a known result, with which a worker checks its resolver. */
export const SIMULATED_NAMES = {
  zone: 'world.example',
  absentBelow: 'world.example',
  mailDomains: ['north.world.example', 'south.world.example', 'west.world.example'],
}
