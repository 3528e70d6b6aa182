/**
 * An operator's management of merchants: creating and changing them, issuing and replacing API
 * keys.
 */

import type { Environment } from '../../domain/environment.ts';
import { type AppError, appError } from '../../domain/errors.ts';
import { type Merchant, type MerchantDefaults, NO_DEFAULTS } from '../../domain/merchants/merchant.ts';
import { DEFAULT_COMMISSION_PPM } from '../../domain/money/fee.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { KeysBefore } from '../../ports/merchants/merchant-repository.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { AppDependencies } from '../dependencies.ts';
import { API_KEY_CONTEXT } from '../webhooks/attempt-delivery.ts';
import { type EndOverlap, firstSecret, overlapFrom } from './webhook-secrets.ts';

type MerchantNeeds = Pick<AppDependencies, 'clock' | 'ids' | 'unitOfWork' | 'vault'>;

export interface NewMerchant {
  readonly name: string;
  readonly callbackUrl: string | null;
  readonly allowedSubnets: readonly string[];
  readonly commissionPpm: bigint | null;
  /**
   * Verified immediately, with a live key; otherwise it waits for verification and has only its
   * sandbox key.
   */
  readonly live: boolean;
}

export interface MerchantKeys {
  readonly merchant: Merchant;
  readonly sandboxKey: string;
  readonly sandboxSecret: string;
  /** Null before verification, like the secret. */
  readonly liveKey: string | null;
  readonly liveSecret: string | null;
}

/** Keys and webhook secrets are shown only here; afterwards only hashes and sealed copies exist. */
export function createMerchant(deps: MerchantNeeds): (input: NewMerchant) => Promise<MerchantKeys> {
  return (input) =>
    deps.unitOfWork.run(async (repositories) => {
      const merchant: Merchant = {
        id: deps.ids.id(),
        name: input.name,
        status: input.live ? 'active' : 'pending_verification',
        kyc: input.live ? 'approved' : 'pending',
        callbackUrl: input.callbackUrl,
        payoutWebhooks: false,
        defaultFeeBearer: 'client',
        commissionPpm: input.commissionPpm ?? DEFAULT_COMMISSION_PPM,
        allowedSubnets: input.allowedSubnets,
        ...NO_DEFAULTS,
        createdAt: deps.clock.now(),
      };
      await repositories.merchants.insert(merchant);
      const sandbox = await issueFirst(deps, repositories, merchant.id, 'sandbox');
      const live = input.live ? await issueFirst(deps, repositories, merchant.id, 'live') : null;
      return {
        ...{ merchant, sandboxKey: sandbox.key, sandboxSecret: sandbox.secret },
        ...{ liveKey: live?.key ?? null, liveSecret: live?.secret ?? null },
      };
    });
}

export type MerchantChange = Partial<
  Pick<
    Merchant,
    | 'name'
    | 'status'
    | 'kyc'
    | 'callbackUrl'
    | 'payoutWebhooks'
    | 'defaultFeeBearer'
    | 'commissionPpm'
    | 'allowedSubnets'
    | keyof MerchantDefaults
  >
>;

export function changeMerchant(
  deps: Pick<MerchantNeeds, 'unitOfWork'>,
): (id: string, change: MerchantChange) => Promise<Result<Merchant, AppError>> {
  return (id, change) =>
    deps.unitOfWork.run(async (repositories) => {
      const merchant = await repositories.merchants.lock(id);
      if (!merchant) return err(noMerchant(id));
      const changed = { ...merchant, ...change };
      await repositories.merchants.update(changed);
      return ok(changed);
    });
}

/** The first key of an environment, and its webhook secret. */
export interface FirstKey {
  readonly key: string;
  readonly secret: string;
}

/**
 * Verification: the merchant becomes active and approved, and gets its live key if it has none
 * (null if it had one).
 */
export function verifyMerchant(
  deps: MerchantNeeds,
): (id: string) => Promise<Result<{ merchant: Merchant; issued: FirstKey | null }, AppError>> {
  return (id) =>
    deps.unitOfWork.run(async (repositories) => {
      const merchant = await repositories.merchants.lock(id);
      if (!merchant) return err(noMerchant(id));
      const verified: Merchant = { ...merchant, status: 'active', kyc: 'approved' };
      await repositories.merchants.update(verified);
      const existing = await repositories.merchants.activeKey(id, 'live');
      const issued = existing ? null : await issueFirst(deps, repositories, id, 'live');
      return ok({ merchant: verified, issued });
    });
}

export interface RotatedKey {
  readonly key: string;
  /** Until when the previous one works; null if none does. */
  readonly olderUntil: Date | null;
  /** How many keys ended immediately, which authentication notices within a few seconds. */
  readonly ended: number;
}

/**
 * Issues another key. The previous one works for `overlapSeconds`: both open the API and sign
 * (domain/merchants/key-overlap.ts). With 0 it ends immediately. A key before it always ends.
 */
export function rotateKey(
  deps: MerchantNeeds,
): (id: string, environment: Environment, overlapSeconds: number) => Promise<Result<RotatedKey, AppError>> {
  return (id, environment, overlapSeconds) =>
    deps.unitOfWork.run(async (repositories) => {
      const merchant = await repositories.merchants.find(id);
      if (!merchant) return err(noMerchant(id));
      if (environment === 'live' && merchant.status === 'pending_verification') {
        return err(appError('MERCHANT_INACTIVE', 'A live key is issued when the merchant is verified.'));
      }
      const { until } = overlapFrom(deps, overlapSeconds);
      const { key, before } = await issueKey(deps, repositories, id, environment, until);
      return ok({ key, olderUntil: before.livesOn ? until : null, ended: before.ended });
    });
}

/**
 * Ends the older key of an overlap after `seconds`, which may shorten or extend it; with 0
 * immediately, whatever the clock shows.
 */
export function endOverlap(deps: MerchantNeeds): EndOverlap {
  return (id, environment, seconds) =>
    deps.unitOfWork.run(async ({ merchants }) => {
      if (!(await merchants.find(id))) return err(noMerchant(id));
      const { now, until } = overlapFrom(deps, seconds);
      return ok({ ends: await merchants.endOlderKey(id, environment, { now, until }), until });
    });
}

async function issueFirst(
  deps: MerchantNeeds,
  repositories: Repositories,
  merchantId: string,
  environment: Environment,
): Promise<FirstKey> {
  const { key } = await issueKey(deps, repositories, merchantId, environment);
  return { key, secret: (await firstSecret(deps, repositories, merchantId, environment)).secret };
}

async function issueKey(
  deps: MerchantNeeds,
  repositories: Repositories,
  merchantId: string,
  environment: Environment,
  olderUntil: Date | null = null,
): Promise<{ key: string; before: KeysBefore }> {
  const key = deps.ids.apiKey(environment);
  const before = await repositories.merchants.putKey(
    {
      merchantId,
      environment,
      lookupHash: deps.vault.lookupHash(key),
      sealed: deps.vault.seal(key, API_KEY_CONTEXT),
      createdAt: deps.clock.now(),
    },
    olderUntil,
  );
  return { key, before };
}

function noMerchant(id: string): AppError {
  return appError('NOT_FOUND', `No such merchant: ${id}`);
}
