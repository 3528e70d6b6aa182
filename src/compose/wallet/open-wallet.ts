/**
 * Opens the wallet of a database at start. The database records its wallet at its first use with
 * one. It is never opened with another wallet, and no new wallet is created if it had one
 * (safety.md K1, K2).
 */
import type {
  HeldWalletKeys,
  SampledAddress,
  WalletKeys,
} from '../../adapters/postgres/sending/wallet-keys.ts';
import { keyFingerprints, ownWalletFingerprint } from '../../adapters/signer/key-fingerprints.ts';
import {
  type Keystore,
  keystoreIsThere,
  openKeystore,
  readPublicKeys,
} from '../../adapters/signer/keystore.ts';
import { missingFamilies, type PublicKeys } from '../../adapters/signer/keystore-file.ts';
import { loadOrMakeMasterKey, MasterKeyMissing, readMasterKey } from '../../adapters/system/master-key.ts';
import type { Config } from '../../config/types.ts';
import {
  FAMILIES,
  FAMILY_ROWS,
  type Family,
  FIRST_FAMILY,
  hasWalletKey,
} from '../../domain/catalog/family.ts';
import { compareWallets, type KeyFingerprint } from '../../domain/chains/wallet-keys.ts';
import type { Clock } from '../../ports/runtime/clock.ts';
import type { Logger } from '../../ports/runtime/logger.ts';
import { placeOf } from '../place.ts';
import { familySigning } from '../signer/family-signing.ts';
import { readsPublicKeysOnly, walletDerivers } from './wallet.ts';
import {
  addressesDiffer,
  anotherWallet,
  keystoreLost,
  masterKeyLost,
  notNotedYet,
} from './wallet-refused.ts';

export interface OpenedWallet {
  readonly masterKey: Uint8Array;
  /**
   * Of the families that the process may use: those that the database has, or has just recorded.
   */
  readonly keys: PublicKeys;
}

/** `keystore` is null if only its public part is read. */
interface PresentWallet extends OpenedWallet {
  readonly keystore: Keystore | null;
}

/** The source of addresses: public keys, and the seed words if they are available. */
interface AddressSource {
  readonly keys: PublicKeys;
  readonly keystore: Pick<Keystore, 'mnemonic'> | null;
}

interface WalletParts {
  readonly walletKeys: WalletKeys;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Opens the wallet of DATA_DIR; creates it if neither it nor the database was ever used. Of several
 * processes that start on an empty database together, one creates it. Throws WalletRefused, and
 * KeystoreError if the keystore itself cannot be opened.
 */
export function openWallet(
  config: Config,
  { walletKeys, clock, logger }: WalletParts,
): Promise<OpenedWallet> {
  return walletKeys.holding(async (held) => {
    const noted = await held.noted();
    const isUsed = noted.length > 0 || (await held.isUsed());
    if (isUsed && !(await keystoreIsThere(config.dataDir))) throw keystoreLost(placeOf(config), noted);
    const wallet = await presentWallet(config);
    const { masterKey, keys } = wallet;
    const found = [...keyFingerprints(keys), ...ownWalletFingerprints(config)];
    const { differing, added } = compareWallets(noted, found);
    if (differing.length > 0) throw anotherWallet(placeOf(config), differing);
    if (noted.length === 0 && config.role === 'api') throw notNotedYet(placeOf(config));
    if (noted.length === 0 && isUsed) await checkAddresses(config, held, wallet);
    const unproven = config.role === 'api' ? added.filter(({ family }) => hasWalletKey(family)) : [];
    if (unproven.length > 0)
      logger.warn('wallet.families_not_noted', {
        families: unproven.map(({ family }) => family),
      });
    await held.note(
      added.filter((key) => !unproven.includes(key)),
      clock.now(),
    );
    await completeFile(config, wallet);
    return { masterKey, keys: keysWithout(keys, unproven) };
  });
}

/**
 * The wallet of DATA_DIR, created if it is missing and this process has the keys. Throws
 * WalletRefused and KeystoreError.
 */
export async function presentWallet(config: Config): Promise<PresentWallet> {
  const directory = config.dataDir;
  const isThere = await keystoreIsThere(directory);
  if (readsPublicKeysOnly(config)) {
    const keys = await readPublicKeys(directory);
    return { masterKey: masterKeyOf(config, { mayMake: false }), keys, keystore: null };
  }
  const masterKey = masterKeyOf(config, { mayMake: !isThere });
  const keystore = await openKeystore({ directory, masterKey, createIfMissing: !isThere });
  return { masterKey, keys: keystore.publicKeys(), keystore };
}

/** Adds missing public keys to an earlier version's file, once it is known to be the right one. */
async function completeFile({ dataDir }: Config, { masterKey, keystore }: PresentWallet): Promise<void> {
  if (keystore === null || missingFamilies(await readPublicKeys(dataDir)).length === 0) return;
  await openKeystore({ directory: dataDir, masterKey, createIfMissing: true });
}

/**
 * Created only together with the wallet: existing sealed data needs its own key. Throws
 * WalletRefused.
 */
export function masterKeyOf(config: Config, { mayMake }: { mayMake: boolean }): Uint8Array {
  try {
    const read = mayMake ? loadOrMakeMasterKey : readMasterKey;
    return Buffer.from(config.masterKey ?? read(config.dataDir), 'hex');
  } catch (error) {
    throw error instanceof MasterKeyMissing ? masterKeyLost(placeOf(config)) : error;
  }
}

/**
 * For the operator's own wallets: no seed proves them, and every process has them from the same
 * configuration.
 */
export function ownWalletFingerprints({ chains, fakeChains }: Config): readonly KeyFingerprint[] {
  if (fakeChains) return [];
  return FAMILIES.flatMap((family) => {
    const wallet = chains[family]?.ownWallet ?? null;
    return wallet === null ? [] : [ownWalletFingerprint(family, wallet.primaryAddress)];
  });
}

/** Leaves out families that the database lacks, if no key here can prove them. */
function keysWithout(keys: PublicKeys, unproven: readonly KeyFingerprint[]): PublicKeys {
  const left = Object.entries(keys).filter(([name]) => !unproven.some(({ family }) => family === name));
  return { [FIRST_FAMILY]: keys[FIRST_FAMILY], ...Object.fromEntries(left) };
}

/**
 * For a database of a version without fingerprints: the wallet must derive the last issued
 * addresses, or WalletRefused.
 */
export async function checkAddresses(
  config: Config,
  held: HeldWalletKeys,
  wallet: AddressSource,
): Promise<void> {
  const [given] = await addressesOfOthers(config, held, wallet);
  if (given !== undefined) throw addressesDiffer(placeOf(config), given);
}

/** The last issued addresses that the wallet does not derive. */
export async function addressesOfOthers(
  config: Config,
  held: HeldWalletKeys,
  wallet: AddressSource,
): Promise<readonly SampledAddress[]> {
  const derive = await derivation(config, wallet);
  const others: SampledAddress[] = [];
  for (const given of await held.sampleAddresses()) {
    const derived = await derive(given);
    if (derived !== null && derived !== given.address) others.push(given);
  }
  return others;
}

/** Normalized address of an index; null for families that cannot be derived here. */
async function derivation(
  config: Config,
  { keys, keystore }: AddressSource,
): Promise<(at: { family: Family; index: number }) => Promise<string | null>> {
  const { derivers } = await walletDerivers(config, keys);
  const pooled = FAMILIES.filter((family) => FAMILY_ROWS[family].pooledAddresses);
  const signing =
    keystore === null || config.fakeChains ? null : await familySigning(config, keystore, pooled);
  return async ({ family, index }) => {
    if (FAMILY_ROWS[family].pooledAddresses)
      return signing?.get(family)?.addressOf({ role: 'deposit', index }) ?? null;
    const deriver = derivers.get(family);
    const [derived] = (await deriver?.derive({ from: index, count: 1 })) ?? [];
    return derived === undefined ? null : (deriver?.normalize(derived) ?? null);
  };
}
