/** Hostile recipients on Tron: ones that the token refuses, at once or when they are to be paid. */
import { openTronDrill } from '../payout-drill/tron-drill.ts';
import type { HostileChain } from './hostile-chain.ts';

const USDT = 'usdt_tron';
const UNITS = 1_000_000n;
const BLOCK_SECONDS = 3;

export async function openHostileTron(): Promise<HostileChain> {
  const drill = await openTronDrill();
  const { lab } = drill;
  const { usdt } = lab.contracts;
  /** That take the token until they are sprung. */
  const taking = new Set<string>();
  return {
    ...drill,
    secondsPerBlock: BLOCK_SECONDS,
    kinds: ['refusing', 'turning'],
    async owe(kind) {
      const address = lab.freshAddress();
      if (kind === 'refusing') await lab.set(usdt, 'TronTetherToken', 'refuse', [address, true]);
      else taking.add(address);
      return { asset: USDT, units: UNITS, address };
    },
    async spring(signedFor) {
      for (const address of taking) {
        if (!signedFor.has(address)) continue;
        await lab.set(usdt, 'TronTetherToken', 'refuse', [address, true]);
        taking.delete(address);
      }
    },
    nextBlock: async () => void (await lab.mine(1)),
  };
}
