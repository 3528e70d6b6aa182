/**
 * The Solana scanner keeps the scanner's contract on the test ledger, where transactions are
 * executed for real.
 */
import { afterAll, beforeAll, describe } from 'bun:test';
import {
  type SolanaScannerOptions,
  solanaScanner,
} from '../../../../../src/adapters/chains/solana/read/scanner.ts';
import { describeChainScanner } from '../../../../contracts/chains/chain-scanner.ts';
import { type RpcProxy, startRpcProxy } from '../../../../support/chains/rpc-proxy.ts';
import { recordingLogger } from '../../../../support/evm/evm-lab.ts';
import { behindPlan } from '../../../../support/providers/behind-plan.ts';
import { HELIUS_FREE } from '../../../../support/providers/plans.ts';
import { openSolanaLab, type SolanaLab } from '../../../../support/solana/lab.ts';

const FINAL_AFTER = 4;

describe('on the test ledger', () => {
  let lab: SolanaLab;
  let proxy: RpcProxy;
  beforeAll(async () => {
    lab = openSolanaLab({ finalizedLag: FINAL_AFTER - 1 });
    proxy = await startRpcProxy(lab.node.url);
    lab.ledger.mine(20);
  });
  afterAll(async () => {
    await proxy.stop();
    await lab.stop();
  });

  describeChainScanner(`solana, behind ${HELIUS_FREE.name}`, async () => {
    const options: SolanaScannerOptions = {
      chain: 'solana',
      network: 'test',
      rpc: [proxy.url],
      nativeAsset: 'sol_solana',
      tokens: [
        { asset: 'usdc_solana', contract: lab.mints.usdc.mint, decimals: 6 },
        { asset: 'usdt_solana', contract: lab.mints.feeful.mint, decimals: 6 },
      ],
      logger: recordingLogger(),
      timing: { coolDownMs: 1 },
      ...behindPlan(HELIUS_FREE),
    };
    const scanner = solanaScanner(options);
    return {
      scanner,
      several: solanaScanner({ ...options, rpc: [proxy.url, proxy.url] }),
      shows: 'all of it',
      confirmations: FINAL_AFTER,
      assets: ['sol_solana', 'usdc_solana'],
      // A transaction that leaders took is in no block to be read yet: `lookup` calls it pending.
      showsPending: false,
      unknownTxid: '5'.repeat(88),
      freshAddress: () => lab.freshAddress(),
      pay: async ({ to, asset, units }) => ({
        txid:
          asset === 'sol_solana'
            ? lab.payCoins({ to, units })
            : lab.payTokens({ to, units, token: lab.mints.usdc }),
      }),
      mine: async (count) => {
        // Some slots pass without a block, as on the real network.
        lab.ledger.skip(count % 3);
        lab.ledger.mine(count);
      },
      reorg: async (depth) => lab.reorg(depth),
      outage: async (on) => proxy.behave({ drop: on }),
      close: () => scanner.close(),
    };
  });
});
