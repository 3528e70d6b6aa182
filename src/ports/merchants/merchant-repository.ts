/**
 * Merchants with their API keys: one per environment, and in an overlap also the one before
 * (domain/merchants/key-overlap.ts).
 */

import type { Environment } from '../../domain/environment.ts';
import type { Merchant } from '../../domain/merchants/merchant.ts';
import type { SigningKeys } from '../webhooks/webhook-signer.ts';

export interface MerchantRepository {
  insert(merchant: Merchant): Promise<void>;
  find(id: string): Promise<Merchant | null>;
  /** By id; unknown ones are left out. */
  findAll(ids: readonly string[]): Promise<ReadonlyMap<string, Merchant>>;
  /** Locks a merchant before a change that depends on its present values. */
  lock(id: string): Promise<Merchant | null>;
  /** The merchants' own webhook URLs; merchants without one are left out. */
  callbackUrls(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The URLs of merchants that want webhooks of payouts; null if a merchant only reads events. */
  payoutCallbacks(ids: readonly string[]): Promise<ReadonlyMap<string, string | null>>;
  update(merchant: Merchant): Promise<void>;
  /**
   * Stores a key. The previous one works until `olderUntil`, or ends immediately if that is null. A
   * key before that one ends immediately: at most two work at a time.
   */
  putKey(key: StoredKey, olderUntil: Date | null): Promise<KeysBefore>;
  /** The newest key of an environment, sealed; null when none was issued. */
  activeKey(merchantId: string, environment: Environment): Promise<StoredKey | null>;
  /** Since when the newest key of each environment is there, and until when an older one works. */
  keyTimes(merchantId: string): Promise<readonly KeyTimes[]>;
  /** The keys that sign webhooks at `now`, sealed; null if no key was issued. */
  signingKeys(merchantId: string, environment: Environment, now: Date): Promise<SigningKeys | null>;
  /**
   * Notes the first API call with an overlap's newer key, which signs from then on; false if noted.
   */
  noteFirstUse(lookupHash: string, at: Date): Promise<boolean>;
  /** Older keys that end after `now` and by `until`, and whose newer key was never used. */
  keysEndingUnfollowed(now: Date, until: Date): Promise<readonly EndingKey[]>;
  /**
   * Ends an overlap's older key at `until`, or immediately (null); false if none works at `now`.
   */
  endOlderKey(
    merchantId: string,
    environment: Environment,
    when: { now: Date; until: Date | null },
  ): Promise<boolean>;
}

export interface StoredKey {
  readonly merchantId: string;
  readonly environment: Environment;
  /** Keyed hash by which a presented key is found (ports/runtime/vault.ts). */
  readonly lookupHash: string;
  /** The key itself, sealed; webhooks are signed with it. */
  readonly sealed: string;
  readonly createdAt: Date;
}

export interface KeyTimes {
  readonly environment: Environment;
  readonly createdAt: Date;
  /** Null without an overlap. */
  readonly olderUntil: Date | null;
}

export interface EndingKey {
  readonly merchantId: string;
  readonly environment: Environment;
  readonly until: Date;
}

/** What became of the earlier keys. */
export interface KeysBefore {
  /** The previous key still works. */
  readonly livesOn: boolean;
  /** How many ended immediately. */
  readonly ended: number;
}
