/**
 * The format of keystore.json, version 1, and its reader. All of it may be shown, except to
 * somebody with the master key.
 */
import {
  FIRST_FAMILY,
  type FirstFamily,
  type SingleKeyFamily,
  WALLET_FAMILIES,
  type WalletFamily,
  walletKey,
} from '../../domain/catalog/family.ts';

/**
 * An account's extended public key, in BIP-32's serialization of main networks (xpub), and its path
 * in the wallet.
 */
export interface AccountKey {
  readonly path: string;
  readonly xpub: string;
}

/**
 * A single key without public derivation: hex, 33 bytes compressed on secp256k1 or 32 of ed25519.
 */
export interface SingleKey {
  readonly path: string;
  readonly publicKey: string;
}

/**
 * Families that came after the first keystores: a file may not have them yet. In the order in which
 * they came.
 */
export const LATER_FAMILIES = WALLET_FAMILIES.filter((family) => family !== FIRST_FAMILY);
type LaterFamily = Exclude<WalletFamily, FirstFamily>;

export type PublicKeys = { readonly [F in FirstFamily]: AccountKey } & {
  readonly [F in Exclude<LaterFamily, SingleKeyFamily>]?: AccountKey;
} & { readonly [F in SingleKeyFamily]?: SingleKey };

export interface KeystoreFile {
  readonly version: 1;
  /** How the sealing key is derived from the master key: the only way in version 1. */
  readonly kdf: 'hkdf-sha256';
  /** Hex: 32 random bytes of this file. */
  readonly salt: string;
  /** Hex: distinguishes a wrong master key from a damaged file. */
  readonly keyCheck: string;
  /**
   * Hex: nonce (12 bytes), AES-256-GCM ciphertext of the words, tag (16 bytes). The first family's
   * key is authenticated with it.
   */
  readonly sealed: string;
  readonly public: PublicKeys;
  /** Hex: authenticates the whole public part. Files older than the later families have none. */
  readonly publicCheck?: string;
}

export type KeystoreFault = 'missing' | 'wrong_master_key' | 'damaged';

/** The keystore cannot be used; the process must not start without it. */
export class KeystoreError extends Error {
  override readonly name = 'KeystoreError';
  readonly fault: KeystoreFault;
  constructor(fault: KeystoreFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

/** Throws KeystoreError `damaged` for anything but a complete version 1 file. */
export function parseKeystore(text: string): KeystoreFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new KeystoreError('damaged', 'keystore.json is not JSON: restore it from a backup');
  }
  const file = value as Partial<KeystoreFile> | null;
  const whole =
    typeof file === 'object' &&
    file !== null &&
    file.version === 1 &&
    file.kdf === 'hkdf-sha256' &&
    isHex(file.salt, 32) &&
    isHex(file.keyCheck, 32) &&
    isHex(file.sealed, 28) &&
    isAccountKey(file.public?.[FIRST_FAMILY]) &&
    LATER_FAMILIES.every((family) => isLaterKey(family, file.public?.[family])) &&
    (file.publicCheck === undefined || isHex(file.publicCheck, 32));
  if (!whole) throw new KeystoreError('damaged', 'keystore.json is incomplete or of an unknown version');
  return file as KeystoreFile;
}

/** The key itself, without its path. */
export function keyText(key: AccountKey | SingleKey): string {
  return 'xpub' in key ? key.xpub : key.publicKey;
}

/** The later families without a key in the file. */
export function missingFamilies(keys: PublicKeys): readonly LaterFamily[] {
  return LATER_FAMILIES.filter((family) => keys[family] === undefined);
}

function isLaterKey(family: LaterFamily, key: Partial<AccountKey & SingleKey> | undefined): boolean {
  if (key === undefined) return true;
  const { kind } = walletKey(family);
  if (kind === 'account') return isAccountKey(key);
  return typeof key.path === 'string' && isHex(key.publicKey, kind === 'secp256k1' ? 33 : 32);
}

function isAccountKey(key: Partial<AccountKey> | undefined): boolean {
  return (
    typeof key?.path === 'string' &&
    typeof key.xpub === 'string' &&
    /^xpub[1-9A-HJ-NP-Za-km-z]{100,120}$/.test(key.xpub)
  );
}

function isHex(text: unknown, bytesMin: number): boolean {
  return typeof text === 'string' && /^([0-9a-f]{2})+$/.test(text) && text.length >= bytesMin * 2;
}
