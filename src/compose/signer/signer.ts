/**
 * The signer of a process: none in the API role, the signer process if its socket is configured,
 * else this process itself.
 */
import { join } from 'node:path';
import { type Keystore, openKeystore } from '../../adapters/signer/keystore.ts';
import { keystoreSigner } from '../../adapters/signer/keystore-signer.ts';
import { openSigningLog } from '../../adapters/signer/signing-log.ts';
import { socketSigner } from '../../adapters/signer/socket-signer.ts';
import type { Config } from '../../config/types.ts';
import type { AssetCatalog } from '../../domain/catalog/asset.ts';
import type { Family } from '../../domain/catalog/family.ts';
import type { Clock } from '../../ports/runtime/clock.ts';
import type { Logger } from '../../ports/runtime/logger.ts';
import type { FamilySigning } from '../../ports/sending/family-signing.ts';
import type { Signer } from '../../ports/sending/signer.ts';
import type { SigningRecords } from '../../ports/sending/signing-records.ts';
import { chainIds } from '../chains/configured-networks.ts';
import { familySigning } from './family-signing.ts';
import { composeSigningPolicy, ownAddressesOf } from './signing-policy.ts';

export interface SignerParts {
  readonly catalog: AssetCatalog;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly masterKey: Uint8Array;
  /** Replaces the keystore's families, for fake chains and tests. */
  readonly families?: ReadonlyMap<Family, FamilySigning>;
}

/** Null in the API role, which has no key and requests no signature. */
export async function composeSigner(config: Config, parts: SignerParts): Promise<Signer | null> {
  if (config.role === 'api') return null;
  if (config.signer.socket !== null) return socketSigner({ path: config.signer.socket });
  const { masterKey } = parts;
  const keystore = () => openKeystore({ directory: config.dataDir, masterKey, createIfMissing: false });
  return composeKeystoreSigner(config, { ...parts, keystore, records: null });
}

/**
 * The signer that has the keys. Reads its policy first, so that a fault in it stops the start, and
 * opens its log.
 */
export async function composeKeystoreSigner(
  config: Config,
  parts: Omit<SignerParts, 'masterKey'> & {
    readonly keystore: () => Promise<Keystore>;
    readonly records: SigningRecords | null;
  },
): Promise<Signer> {
  const { catalog, clock, logger, records } = parts;
  const opened = once(async () => parts.families ?? familySigning(config, await parts.keystore()));
  const policy = await composeSigningPolicy(config, catalog, async () => ownAddressesOf(await opened()));
  const families = await opened();
  const log = await openSigningLog({
    path: join(config.dataDir, 'signer.log'),
    now: () => clock.now(),
    logger,
  });
  return keystoreSigner({ catalog, chainId: chainIds(config), families, policy, log, records, clock });
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make();
    return made;
  };
}
