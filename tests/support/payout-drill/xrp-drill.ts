/**
 * The payout drill on a test network of the XRP Ledger. Again and again a burst of ledgers takes
 * nothing in, long enough for whatever waits to expire: it has to be signed again, and must not be
 * paid twice for it.
 */
import { storedTransaction } from '../../../src/adapters/chains/xrp/codec/transaction.ts';
import { openXrpLab } from '../xrp/lab.ts';
import { accountNumber } from '../xrp/stage.ts';
import type { DrillChain } from './drill-chain.ts';

const ASSET = 'xrp_xrp';
const XRP = 1_000_000n;
/** One step in so many is a burst. */
const CYCLE = 12;
/** More than a transaction is valid for, and to be read in two ranges. */
const BURST = 25;

export async function openXrpDrill(): Promise<DrillChain> {
  const lab = openXrpLab();
  const { network } = lab;
  lab.account('payer', 1_000_000n * XRP);
  network.close(60);
  let steps = 0;
  let recipients = 0;

  return {
    name: 'xrp',
    node: {
      url: lab.urls[0]!,
      broadcastMethod: '"submit"',
      txidOf: async (raw) => storedTransaction(raw).txid,
      accepting: async (body) => {
        const { id } = JSON.parse(body) as { id: number };
        return { id, result: { status: 'success', engine_result: 'tesSUCCESS', accepted: true } };
      },
    },
    assets: [ASSET],
    invoice: { asset: ASSET, usd: 20_000 },
    configuration: ({ rpc, confirmations }) => ({
      chains: { xrp: { rpc: [rpc], confirmations, poll_ms: 100 } },
      rates: { source: 'static', usd: { [ASSET]: '2' } },
    }),
    async endow({ invoice, hotWallet }) {
      network.fund(hotWallet, 10_000n * XRP);
      lab.pay(invoice.to, invoice.units);
    },
    payouts: (count, random) =>
      Array.from({ length: count }, () => ({
        address: accountNumber(recipients++),
        asset: ASSET,
        units: XRP + BigInt(random.int(3_000_000)),
      })),
    async nextBlock() {
      steps += 1;
      if (steps % CYCLE !== 0) return network.close();
      network.include(() => false);
      network.close(BURST);
      network.include(() => true);
    },
    mine: async (count) => network.close(count),
    received: async (owed) => owed.map(({ address }) => lab.balanceOf(address)),
    // nonces keep it right: what recipients have tells all
    differences: async () => [],
    stop: () => lab.close(),
  };
}
