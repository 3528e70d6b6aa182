/**
 * Hostile recipients on ethereum: contracts that burn gas, change their mind or fit into no block,
 * and one whose trial takes long.
 */

import { startRpcProxy } from '../chains/rpc-proxy.ts';
import { gasBurner, gasPriceTrap } from '../evm/evm-burner.ts';
import { openAnvilDrill } from '../payout-drill/anvil-drill.ts';
import type { HostileChain } from './hostile-chain.ts';

const ETH = 'eth_ethereum';
const UNITS = 10n ** 12n;
/** Above what a transaction may take (EIP-7825), and below anvil's block. */
const UNMINEABLE_GAS = 20_000_000;
const BURNT_GAS = 8_000_000;
const SLOW_MS = 17_000;

export async function openHostileAnvil(): Promise<HostileChain> {
  const drill = await openAnvilDrill();
  const proxy = await startRpcProxy(drill.node.url);
  const node = { anvil: drill.anvil };
  /** Contracts that are cheap until they are sprung. */
  const cheap = new Set<string>();
  const slow = new Set<string>();
  proxy.behave({
    answer: async ({ method, params }) => {
      const to = (params[0] as { to?: string } | undefined)?.to?.toLowerCase();
      if (method === 'eth_estimateGas' && to !== undefined && slow.has(to)) await Bun.sleep(SLOW_MS);
      return undefined;
    },
  });
  const recipients: Readonly<Record<string, () => Promise<string>>> = {
    burner: () => gasBurner(node, BURNT_GAS),
    trap: () => gasPriceTrap(node),
    turning: async () => {
      const contract = await gasBurner(node, 10_000);
      cheap.add(contract);
      return contract;
    },
    unmineable: () => gasBurner(node, UNMINEABLE_GAS),
    slow: async () => {
      const contract = await gasBurner(node, 1_000);
      slow.add(contract.toLowerCase());
      return contract;
    },
  };
  return {
    ...drill,
    node: { ...drill.node, url: proxy.url },
    secondsPerBlock: 1,
    kinds: Object.keys(recipients),
    owe: async (kind) => ({ asset: ETH, units: UNITS, address: (await recipients[kind]?.()) ?? '' }),
    async spring(signedFor) {
      for (const contract of cheap) {
        if (!signedFor.has(contract)) continue;
        await gasBurner(node, BURNT_GAS, contract);
        cheap.delete(contract);
      }
    },
    async stop() {
      await proxy.stop();
      await drill.stop();
    },
  };
}
