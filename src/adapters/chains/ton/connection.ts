/** What the scanner and the sender of TON share: its nodes and its jettons. */
import { walletAddress } from './codec/wallet-v5.ts';
import { tonPublicKey } from './deriver.ts';
import { type TonNodeOptions, type TonPool, tonPool } from './nodes.ts';
import { type JettonBook, type JettonListing, jettonBook } from './read/jettons.ts';

export interface TonConnection {
  readonly pool: TonPool;
  readonly jettons: JettonBook;
}

/**
 * `jettons`: those of scanner and sender. Connects lazily. Throws for options that can never work.
 */
export function connectTon(
  options: TonNodeOptions & {
    /** The family's key (keystore), 64 hex digits. */
    readonly publicKey: string;
    readonly jettons: readonly JettonListing[];
  },
): TonConnection {
  const pool = tonPool(options);
  const key = tonPublicKey(options.publicKey);
  const ours = [{ role: 'hot' }, { role: 'deposit', index: 0 }] as const;
  const owners = ours.map((wallet) => walletAddress(options.network, key, wallet).hash);
  return { pool, jettons: jettonBook({ ...options, pool, owners }) };
}
