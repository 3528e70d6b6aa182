/**
 * The payout drill on solana: coins and tokens on the test ledger. Now and then its leaders take
 * nothing for longer than a blockhash lives, so that what waits dies, and is to be signed again,
 * once.
 */
import { storedTransaction } from '../../../src/adapters/chains/solana/codec/transaction.ts';
import { openSolanaLab } from '../solana/lab.ts';
import type { DrillChain } from './drill-chain.ts';

const SOL = 'sol_solana';
const USDC = 'usdc_solana';
/** As the real chain is quicker than others, so is this one. */
const BLOCKS_AT_ONCE = 20;
const BLOCK_MS = 400;
/** Of so many steps in a row, this many are congested: 200 blocks. */
const CYCLE = 24;
const CONGESTED = 10;

export async function openSolanaDrill(): Promise<DrillChain> {
  let steps = 0;
  let began = Date.now();
  const aheadMs = () => Math.max(0, steps * BLOCKS_AT_ONCE * BLOCK_MS - (Date.now() - began));
  const lab = openSolanaLab({ finalizedLag: 3, now: () => Math.floor((Date.now() + aheadMs()) / 1000) });
  const { ledger } = lab;
  ledger.mine(10);
  return {
    name: 'solana',
    node: {
      url: lab.node.url,
      broadcastMethod: 'sendTransaction',
      txidOf: async (raw) => storedTransaction(raw).txid,
    },
    assets: [SOL, USDC],
    invoice: { asset: USDC, usd: 1_000_000 },
    configuration: ({ rpc }) => ({
      chains: { solana: { rpc: [rpc], network: 'test', poll_ms: 50 } },
      assets: { [USDC]: { contract: lab.mints.usdc.mint }, usdt_solana: { contract: lab.mints.usdt.mint } },
      rates: { source: 'static', usd: { [SOL]: '200', [USDC]: '1' } },
    }),
    async endow({ invoice, hotWallet }) {
      lab.payTokens({ ...invoice, token: lab.mints.usdc });
      lab.payTokens({ to: hotWallet, units: 10n ** 12n, token: lab.mints.usdc });
      lab.payCoins({ to: hotWallet, units: 10n ** 13n });
    },
    payouts: (count, random) =>
      Array.from({ length: count }, (_, index) => {
        const address = lab.unusedAddress();
        return index % 3 === 0
          ? { address, asset: SOL, units: BigInt(10_000_000 + random.int(100_000_000)) }
          : { address, asset: USDC, units: BigInt(2_000_000 + random.int(5_000_000)) };
      }),
    async nextBlock() {
      if (steps === 0) began = Date.now();
      steps += 1;
      ledger.congest(steps % CYCLE >= CYCLE - CONGESTED);
      ledger.skip(steps % 3);
      ledger.mine(BLOCKS_AT_ONCE);
    },
    aheadMs,
    async mine(count) {
      ledger.congest(false);
      ledger.mine(count);
    },
    received: async (owed) =>
      owed.map(({ address, asset }) =>
        asset === SOL ? lab.lamportsOf(address) : lab.tokensOf(address, lab.mints.usdc),
      ),
    // what recipients have tells all
    differences: async () => [],
    stop: () => lab.stop(),
  };
}
