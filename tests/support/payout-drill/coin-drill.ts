/**
 * The payout drill on a UTXO chain. Payouts leave in batches; now and then its miner takes nothing
 * for a while, so that what waits is replaced or pulled along by a child; and the operator keeps
 * sending coins, which are booked and joined.
 */
import type { RegtestNode } from '../nodes/regtest.ts';
import type { UtxoChain } from '../utxo/utxo-nodes.ts';
import { coinDifferences, readChain } from './coin-differences.ts';
import type { DrillChain } from './drill-chain.ts';

/** The least that can be configured. */
const STUCK_MS = 1_000;
/** Of so many blocks in a row, this many are empty: longer than a transaction may wait. */
const CYCLE = 24;
const EMPTY = 8;

/**
 * Coins of the hot wallet at first; the operator sends one more with every other block, and a
 * hundred are joined.
 */
const FIRST_COINS = 90;
const COIN_UNITS = 10_000_000n;

export function openCoinDrill(chain: UtxoChain): () => Promise<DrillChain> {
  return async () => {
    const node = await chain.start();
    return coinDrill(chain, node, await node.height());
  };
}

function coinDrill({ family, asset }: UtxoChain, node: RegtestNode, from: number): DrillChain {
  let blocks = 0;
  let hotWallet: string | null = null;
  return {
    name: family,
    node: {
      url: node.url,
      broadcastMethod: 'sendrawtransaction',
      txidOf: async (raw) => (await node.rpc<{ txid: string }>('decoderawtransaction', raw)).txid,
    },
    assets: [asset],
    invoice: { asset, usd: 2_000 },
    configuration: ({ rpc, confirmations }) => ({
      chains: {
        [family]: { rpc: [rpc], network: 'regtest', confirmations, poll_ms: 100, stuck_ms: STUCK_MS },
      },
      rates: { source: 'static', usd: { [asset]: '100' } },
    }),
    async endow(order) {
      hotWallet = order.hotWallet;
      const { to, units } = order.invoice;
      await node.pay([{ to, units }]);
      const coin = { to: hotWallet, units: COIN_UNITS };
      await node.pay(Array.from({ length: FIRST_COINS }, () => coin));
    },
    payouts: (count, random) =>
      Array.from({ length: count }, () => ({
        address: node.freshAddress(),
        asset,
        units: BigInt(20_000 + random.int(400_000)),
      })),
    async nextBlock() {
      blocks += 1;
      if (hotWallet !== null && blocks % 2 === 0) await node.pay([{ to: hotWallet, units: COIN_UNITS }]);
      if (blocks % CYCLE < EMPTY) await node.mineOnly([]);
      else await node.mine(1);
    },
    async mine(count) {
      await node.mine(count);
    },
    async received(owed) {
      const { paid } = await readChain(node, from);
      return owed.map(({ address }) => paid.get(Buffer.from(node.scriptOf(address)).toString('hex')) ?? 0n);
    },
    differences: async (database) => coinDifferences({ node, database, chain: family, from }),
    stop: () => node.stop(),
  };
}
