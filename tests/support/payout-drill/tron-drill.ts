/**
 * The payout drill on Tron: coins and tokens on the test server. Now and then its producers take
 * nothing for a while and time goes on, so that what waits expires and is signed again.
 */
import { storedTransaction } from '../../../src/adapters/chains/tron/codec/transaction.ts';
import { openTronLab, type TronLab } from '../tron/lab.ts';
import { TRX } from '../tron/parameters.ts';
import type { DrillChain } from './drill-chain.ts';

const NATIVE = 'trx_tron';
const USDT = 'usdt_tron';
/**
 * Of so many blocks in a row, this many are empty; before the last of them more time passes than a
 * transaction lives.
 */
const CYCLE = 24;
const EMPTY = 6;
const LONGER_THAN_A_LIFE_MS = 700_000;

export async function openTronDrill(): Promise<DrillChain & { readonly lab: TronLab }> {
  let blocks = 0;
  const lab = await openTronLab({ startMs: Date.now() });
  const { chain, node } = lab.server;
  return {
    lab,
    name: 'tron',
    node: {
      url: node.url,
      broadcastMethod: 'broadcasthex',
      txidOf: async (raw) => storedTransaction(raw).txid,
      accepting: async (body) => {
        const { transaction } = JSON.parse(body) as { transaction: string };
        return { result: true, txid: storedTransaction(transaction).txid };
      },
    },
    assets: [NATIVE, USDT],
    invoice: { asset: USDT, usd: 1_000_000 },
    configuration: ({ rpc }) => ({
      chains: { tron: { rpc: [rpc], confirmations: 1, poll_ms: 10 } },
      assets: { [USDT]: { contract: lab.contracts.usdt } },
      rates: { source: 'static', usd: { [USDT]: '1', [NATIVE]: '0.25' } },
    }),
    async endow({ invoice, hotWallet }) {
      await lab.payToken('usdt', invoice.to, invoice.units);
      await lab.payToken('usdt', hotWallet, 10n ** 12n);
      await lab.payTrx(hotWallet, 1_000_000n * TRX);
    },
    payouts: (count, random) =>
      Array.from({ length: count }, (_, index) => {
        const address = lab.freshAddress();
        return index % 3 === 0
          ? { address, asset: NATIVE, units: BigInt(1 + random.int(1_000)) * 10_000n }
          : { address, asset: USDT, units: BigInt(1 + random.int(5_000_000)) };
      }),
    async nextBlock() {
      blocks += 1;
      const place = blocks % CYCLE;
      if (place === EMPTY) {
        chain.drop();
        chain.pass(LONGER_THAN_A_LIFE_MS);
      }
      await chain.mine(1, { empty: place > 0 && place <= EMPTY });
    },
    aheadMs: () => chain.tip().timeMs - Date.now(),
    mine: (count) => chain.mine(count),
    received: async (owed) => {
      const units: bigint[] = [];
      for (const { address, asset } of owed)
        units.push(await lab.balanceOf(address, asset === NATIVE ? null : lab.contracts.usdt));
      return units;
    },
    // what recipients have tells all
    differences: async () => [],
    stop: () => lab.server.stop(),
  };
}
