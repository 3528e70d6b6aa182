/** Merchants with their API keys: of each environment the newest, and in an overlap the one before it (domain/merchants/key-overlap.ts). */

import type { Environment } from '../../domain/environment.ts';
import type { Merchant } from '../../domain/merchants/merchant.ts';
import type { SigningKeys } from '../webhooks/webhook-signer.ts';

export interface MerchantRepository {
  insert(merchant: Merchant): Promise<void>;
  find(id: string): Promise<Merchant | null>;
  /** Who changes a merchant by what it was locks it first; nobody else does until the transaction is over. */
  lock(id: string): Promise<Merchant | null>;
  /** Where webhooks of merchants go that name no other place; those without one are left out. */
  callbackUrls(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Of those that want to be told of their payouts: where; null where a merchant only reads events. */
  payoutCallbacks(ids: readonly string[]): Promise<ReadonlyMap<string, string | null>>;
  update(merchant: Merchant): Promise<void>;
  /**
   * Stores a key. The one before it lives on until `olderUntil`, or ends at once where that is null; one that lives on beside
   * that one ends at once: two keys live at most.
   */
  putKey(key: StoredKey, olderUntil: Date | null): Promise<KeysBefore>;
  /** The newest key of an environment, sealed; null when none was issued. */
  activeKey(merchantId: string, environment: Environment): Promise<StoredKey | null>;
  /** What is signed with at `now`, sealed; null when no key was issued. */
  signingKeys(merchantId: string, environment: Environment, now: Date): Promise<SigningKeys | null>;
  /** Notes the first API call with the newer key of an overlap, which signs from then on; false when it is noted already. */
  noteFirstUse(lookupHash: string, at: Date): Promise<boolean>;
  /** Older keys that end after `now` and by `until`, while no API call with the newer one was noted. */
  keysEndingUnfollowed(now: Date, until: Date): Promise<readonly EndingKey[]>;
  /** Ends the older key of an overlap at `until`, or at once where that is null; false when none lives at `now`. */
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

export interface EndingKey {
  readonly merchantId: string;
  readonly environment: Environment;
  readonly until: Date;
}

/** What became of the keys that lived when another was put. */
export interface KeysBefore {
  /** The one before lives on. */
  readonly livesOn: boolean;
  /** So many ended at once. */
  readonly ended: number;
}
