/**
 * Hostile recipients on TON: contracts that burn their gas and send the rest back, and ones that
 * refuse.
 */
import { openTonDrill } from '../payout-drill/ton-drill.ts';
import { burningContract, unpayableContract } from '../ton/small-contracts.ts';
import { NATIVE, TON } from '../ton/ton-lab.ts';
import type { HostileChain } from './hostile-chain.ts';

const BLOCK_SECONDS = 3;
/** Apart from those of the honest. */
const FIRST_ADDRESS = 1_000_000;

export async function openHostileTon(): Promise<HostileChain> {
  const drill = await openTonDrill();
  const { lab } = drill;
  const contracts = { burning: burningContract, bouncing: unpayableContract } as const;
  let next = FIRST_ADDRESS;
  return {
    ...drill,
    secondsPerBlock: BLOCK_SECONDS,
    kinds: Object.keys(contracts),
    async owe(kind) {
      const address = lab.addressOf(lab.strangersAddress(next++));
      lab.place(address, contracts[kind as keyof typeof contracts]());
      return { asset: NATIVE, units: TON / 2n, address: address.toString({ bounceable: true }) };
    },
    spring: async () => undefined,
    nextBlock: () => lab.mine(1),
  };
}
