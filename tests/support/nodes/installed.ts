/**
 * Where the nodes are that install.sh brought: .nodes in the checkout, or the folder that
 * TEST_NODES names.
 */
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

const FOLDER = process.env.TEST_NODES ?? join(import.meta.dir, '../../../.nodes');

/**
 * The path of an installed program, or null: for `needs('bitcoind', nodeProgram('bitcoind') !==
 * null)`.
 */
export function nodeProgram(name: 'bitcoind' | 'litecoind' | 'monerod' | 'monero-wallet-rpc'): string | null {
  const path = join(FOLDER, 'run', name);
  try {
    accessSync(path, constants.X_OK);
    return path;
  } catch {
    return null;
  }
}
