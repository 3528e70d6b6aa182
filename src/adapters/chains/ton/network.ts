/** TON's networks: how nodes' answers, wallet ids and addresses differ between them. */
import type { NetworkName } from '../../../domain/catalog/family.ts';

export interface TonNetwork {
  readonly name: 'main' | 'test';
  /** `global_id` of its blocks (config parameter 19), which also enters V5R1 wallet ids. */
  readonly globalId: number;
}

const MAIN: TonNetwork = { name: 'main', globalId: -239 };
const TEST: TonNetwork = { name: 'test', globalId: -3 };

/** TON has no regtest of its own: all but the main network use the test network's values. */
export function tonNetwork(name: NetworkName): TonNetwork {
  return name === 'main' ? MAIN : TEST;
}
