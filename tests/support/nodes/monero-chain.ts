/**
 * A Monero chain whose miner can pay at once. Mining it takes many seconds of a processor, so
 * whoever asks first does it for all test processes, and for later runs: it is kept in `.bun`
 * beside the timings of tests.
 */
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { nodeProgram } from './installed.ts';
import { mineBlocks, startMonerod, startWalletRpc } from './monero.ts';

/** A reward can be spent after 60 blocks, and a payment hides among 15 others. */
const BLOCKS_TO_PAY = 82;
/** The miner's wallet; it has no password. */
export const PAYER = 'payer';

const KEPT = join(import.meta.dir, '../../../.bun');
/** Whoever mines longer is taken for dead. */
const PATIENCE_MS = 150_000;

/** What `startMonerod` and `startWalletRpc` begin with. */
export interface MinedChain {
  readonly chain: string;
  readonly wallets: string;
}

export async function minedChain(): Promise<MinedChain> {
  const { size, mtimeMs } = statSync(nodeProgram('monerod') ?? KEPT);
  const folder = join(KEPT, `monero-${BLOCKS_TO_PAY}-${size}-${Math.trunc(mtimeMs)}`);
  const making = `${folder}.making`;
  mkdirSync(KEPT, { recursive: true });
  while (!existsSync(folder)) {
    if (isMine(making)) await mine(making).then(() => renameSync(making, folder));
    else await Bun.sleep(100);
  }
  return { chain: join(folder, 'chain'), wallets: join(folder, 'wallets') };
}

/** Whether nobody else makes it. */
function isMine(making: string): boolean {
  try {
    mkdirSync(making);
    return true;
  } catch {
    const began = statSync(making, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - began > PATIENCE_MS) rmSync(making, { recursive: true, force: true });
    return false;
  }
}

async function mine(folder: string): Promise<void> {
  const daemon = await startMonerod();
  const wallet = await startWalletRpc({ daemonPort: daemon.port });
  try {
    await wallet.call('create_wallet', { filename: PAYER, password: '', language: 'English' });
    const { address } = await wallet.call('get_address', { account_index: 0 });
    await mineBlocks(daemon, address, BLOCKS_TO_PAY);
    await wallet.call('refresh');
    await wallet.call('store');
    await wallet.stop(join(folder, 'wallets'));
    await daemon.stop(join(folder, 'chain'));
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}
