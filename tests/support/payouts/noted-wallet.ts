/** A database that knows its wallet, as the first start of a service leaves it. */
import type { Database } from '../../../src/adapters/postgres/client/client.ts';
import { postgresWalletKeys } from '../../../src/adapters/postgres/sending/wallet-keys.ts';
import { keyFingerprints } from '../../../src/adapters/signer/key-fingerprints.ts';
import type { PublicKeys } from '../../../src/adapters/signer/keystore-file.ts';
import { NOW } from '../builders.ts';

export function noteWallet(database: Database, keys: PublicKeys): Promise<void> {
  return postgresWalletKeys(database).holding((held) => held.note(keyFingerprints(keys), NOW));
}
