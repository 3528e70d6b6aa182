/**
 * The wallet of the signer process. It reads which wallet the database belongs to, writes nothing
 * there, and only signs for a database of its own wallet (safety.md K1, K2).
 */

import { StatementRefused } from '../../adapters/postgres/client/pg-errors.ts';
import type { Sql } from '../../adapters/postgres/client/sql.ts';
import { walletSeenBySigner } from '../../adapters/postgres/sending/wallet-keys.ts';
import { keyFingerprints } from '../../adapters/signer/key-fingerprints.ts';
import { type Keystore, keystoreIsThere, openKeystore } from '../../adapters/signer/keystore.ts';
import type { Config } from '../../config/types.ts';
import { compareWallets, type KeyFingerprint } from '../../domain/chains/wallet-keys.ts';
import { StorageUnavailable } from '../../ports/repositories.ts';
import { type Signer, SignerUnavailable } from '../../ports/sending/signer.ts';
import type { DataPlace } from '../place.ts';
import { anotherWallet, keystoreLost, notReadable, WalletRefused } from '../wallet/wallet-refused.ts';

export interface SignersWallet {
  /** Opens it; creates it if neither it nor the database was ever used. Throws WalletRefused. */
  open(): Promise<Keystore>;
  /**
   * The signer, which signs and derives nothing before the database is known to belong to this
   * wallet.
   */
  guarded(signer: Signer): Signer;
}

/** SQLSTATE insufficient_privilege. */
const NOT_ALLOWED = '42501';

export function signersWallet(
  { dataDir: directory }: Config,
  parts: { readonly database: Sql; readonly masterKey: Uint8Array; readonly place: DataPlace },
): SignersWallet {
  const { database, masterKey, place } = parts;
  let found: readonly KeyFingerprint[] = [];
  let isOfDatabase = false;

  async function seen(): ReturnType<typeof walletSeenBySigner> {
    try {
      return await walletSeenBySigner(database);
    } catch (error) {
      if (error instanceof StatementRefused && error.sqlState === NOT_ALLOWED) throw notReadable(place);
      throw error;
    }
  }

  /** A database without a worker's start has no wallet yet. */
  function check(noted: readonly KeyFingerprint[]): void {
    const { differing } = compareWallets(noted, found);
    if (differing.length > 0) throw anotherWallet(place, differing);
    isOfDatabase = noted.length > 0;
  }

  async function ensureIsOfDatabase(): Promise<void> {
    if (isOfDatabase) return;
    try {
      check((await seen()).noted);
    } catch (error) {
      if (error instanceof WalletRefused || error instanceof StorageUnavailable)
        throw new SignerUnavailable(error.message, { cause: error });
      throw error;
    }
    if (!isOfDatabase) throw new SignerUnavailable('the database does not know its wallet yet');
  }

  return {
    async open() {
      const isThere = await keystoreIsThere(directory);
      const { noted, isUsed } = await seen().catch((error: unknown) => {
        // Only the database shows whether a wallet may be created; an existing wallet can wait for
        // it.
        if (isThere && error instanceof StorageUnavailable) return { noted: [], isUsed: true };
        throw error;
      });
      if (!isThere && isUsed) throw keystoreLost(place, noted);
      const keystore = await openKeystore({ directory, masterKey, createIfMissing: !isThere });
      found = keyFingerprints(keystore.publicKeys());
      check(noted);
      // No fact contradicts this wallet, so it gets the public keys that an earlier version did not
      // write.
      return openKeystore({ directory, masterKey, createIfMissing: true });
    },
    guarded: (signer) => ({
      async sign(order) {
        await ensureIsOfDatabase();
        return signer.sign(order);
      },
      async addresses(wanted) {
        await ensureIsOfDatabase();
        return signer.addresses(wanted);
      },
      coldAddress: (of) => signer.coldAddress(of),
      close: () => signer.close(),
    }),
  };
}
