/**
 * A Monero chain for tests: a daemon, a payer with coins, a wallet-rpc for the scanner under test,
 * and the published wallet of monero-project's functional tests as the merchant's, of which only
 * the view key is used.
 */
import { setDefaultTimeout } from 'bun:test';
import type { MoneroViewKeys } from '../../../src/adapters/chains/monero/deriver.ts';
import type { MoneroScannerOptions } from '../../../src/adapters/chains/monero/scanner.ts';
import { type MoneroProgram, mineBlocks, startMonerod, startWalletRpc } from '../nodes/monero.ts';
import { minedChain, PAYER } from '../nodes/monero-chain.ts';
import { KEY_TWICE_RESERVE, payReward, type RewardPayment } from '../nodes/monero-coinbase.ts';
import { silentLogger } from '../runtime/silent-logger.ts';

/** Of monero-project/monero, functional_tests/wallet.py. */
export const MERCHANT_SEED =
  'velvet lymph giddy number token physics poetry unquoted nibs useful sabotage limits benches lifestyle eden nitrogen anvil fewest avoid batch vials washing fences goat unquoted';
/** Of that seed. */
export const MERCHANT: MoneroViewKeys = {
  primaryAddress:
    '42ey1afDFnn4886T7196doS9GPMzexD9gXpsZJDwVjeRVdFCSoHnv7KPbBeGpzJBzHRCAs9UxqeoyFQMYbqSWYTfJJQAWDm',
  viewKey: '49774391fa5e8d249fc2c5b45dadef13534bf2483dede880dac88f061e809100',
  network: 'regtest',
};

/** Of another one of those: who mines where nobody pays. */
const MINER =
  '44Kbx4sJ7JDRDV5aAhLJzQCjDz2ViLRduE3ijDZu3osWKBjMGkV1XPk4pfDUMqt1Aiezvephdqm6YD19GKFD9ZcXVUTp6BW';

/** Each block costs a tenth of a second of RandomX, and much more on a busy machine. */
setDefaultTimeout(120_000);

const ATTEMPTS = 5;
const LOOKS = 40;
/** Each block costs a tenth of a second of RandomX, more on a busy machine: for `beforeAll`. */
export const OPENING_MS = 180_000;

/** A scanner over the lab's daemon and wallet program, as the merchant. */
export function scannerOptions(lab: MoneroLab): MoneroScannerOptions {
  return {
    chain: 'monero',
    asset: 'xmr_monero',
    rpc: [lab.daemon.url],
    walletRpc: lab.wallet.url,
    keys: MERCHANT,
    confirmations: 4,
    startHeight: null,
    logger: silentLogger,
    coolDownMs: 1,
  };
}

async function openPayer(
  daemonPort: number,
  wallets: string,
): Promise<{ wallet: MoneroProgram; address: string }> {
  const wallet = await startWalletRpc({ daemonPort, wallets });
  await wallet.call('open_wallet', { filename: PAYER, password: '' });
  const { address } = await wallet.call('get_address', { account_index: 0 });
  return { wallet, address };
}

export interface MoneroLab {
  readonly daemon: MoneroProgram;
  /** For the scanner under test: no wallet is open in it. */
  readonly wallet: MoneroProgram;
  /** Into the pool, of the payer's coins; amounts in atomic units. */
  pay(to: string, units: bigint): Promise<{ txid: string }>;
  /** Answers the new tip's height. */
  mine(count?: number): Promise<number>;
  /**
   * Mines a block that pays its whole reward; answers the transaction and its amount. Locked for 60
   * blocks.
   */
  mineReward(payment: RewardPayment): Promise<{ txid: string; units: bigint; height: number }>;
  /** Takes the last `depth` blocks away; their transactions wait again. */
  pop(depth: number): Promise<void>;
  /**
   * Replaces the last `depth` blocks by as many empty ones; their transactions are gone for good.
   */
  reorg(depth: number): Promise<void>;
  stop(): Promise<void>;
}

/**
 * `pays`: its payer has coins from the first moment. Otherwise the chain is empty, and nobody pays.
 */
export async function openMoneroLab({ pays }: { pays: boolean }): Promise<MoneroLab> {
  const mined = pays ? await minedChain() : null;
  const daemon = await startMonerod(mined ?? {});
  const wallet = await startWalletRpc({ daemonPort: daemon.port });
  const payer = mined === null ? null : await openPayer(daemon.port, mined.wallets);
  const address = payer?.address ?? MINER;

  /**
   * Whether the next block takes it. On so short a chain a payment may hide among outputs that are
   * locked for a block more.
   */
  async function isNext(txid: string): Promise<boolean> {
    for (let look = 0; look < LOOKS; look += 1) {
      const template = await daemon.call('get_block_template', { wallet_address: address, reserve_size: 1 });
      if (template.blocktemplate_blob.includes(txid)) return true;
      await Bun.sleep(50);
    }
    return false;
  }

  const lab: MoneroLab = {
    daemon,
    wallet,
    async pay(to, units) {
      if (payer === null) throw new Error('nobody pays in this lab');
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        await payer.wallet.call('refresh');
        const { tx_hash: txid } = await payer.wallet.call('transfer', {
          destinations: [{ address: to, amount: Number(units) }],
          priority: 1,
        });
        if (await isNext(txid)) return { txid };
        await daemon.call('flush_txpool', { txids: [txid] });
        await payer.wallet.call('rescan_spent');
      }
      throw new Error(`no payment came into the next block in ${ATTEMPTS} attempts`);
    },
    mine: (count = 1) => mineBlocks(daemon, address, count),
    async mineReward(payment) {
      const template = await daemon.call('get_block_template', {
        wallet_address: address,
        reserve_size: payment.keyTwice === true ? KEY_TWICE_RESERVE : 1,
      });
      await daemon.call('submit_block', [payReward(template.blocktemplate_blob, payment)]);
      const { block_header } = await daemon.call('get_block_header_by_height', { height: template.height });
      return {
        txid: block_header.miner_tx_hash,
        units: BigInt(block_header.reward),
        height: template.height,
      };
    },
    async pop(depth) {
      await daemon.post('/pop_blocks', { nblocks: depth });
    },
    async reorg(depth) {
      await lab.pop(depth);
      await daemon.call('flush_txpool');
      await lab.mine(depth);
    },
    async stop() {
      await Promise.all([payer?.wallet.stop(), wallet.stop()]);
      await daemon.stop();
    },
  };
  return lab;
}
