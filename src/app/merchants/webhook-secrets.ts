/** An operator's management of webhook secrets: showing and replacing them. */

import type { Environment } from '../../domain/environment.ts';
import { type AppError, appError } from '../../domain/errors.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { StoredSecret } from '../../ports/webhooks/webhook-secrets.ts';
import type { AppDependencies } from '../dependencies.ts';
import { WEBHOOK_SECRET_CONTEXT } from '../webhooks/attempt-delivery.ts';

type WebhookSecretNeeds = Pick<AppDependencies, 'clock' | 'ids' | 'unitOfWork' | 'vault'>;
type SecretChange<Made> = Promise<Result<Made, AppError>>;

export interface ShownSecret {
  readonly secret: string;
  /** Until when the previous one also signs; null if none does. */
  readonly olderUntil: Date | null;
}

/** The secret of a merchant and environment; creates it if there is none. */
export function showWebhookSecret(
  deps: WebhookSecretNeeds,
): (id: string, environment: Environment) => SecretChange<ShownSecret> {
  return (id, environment) =>
    deps.unitOfWork.run(async (repositories) => {
      if (!(await repositories.merchants.find(id))) return err(noMerchant(id));
      return ok(await firstSecret(deps, repositories, id, environment));
    });
}

/**
 * Creates a new secret. The previous one also signs for `overlapSeconds`; with 0 it ends, as does
 * one before it.
 */
export function rotateWebhookSecret(
  deps: WebhookSecretNeeds,
): (id: string, environment: Environment, overlapSeconds: number) => SecretChange<ShownSecret> {
  return (id, environment, overlapSeconds) =>
    deps.unitOfWork.run(async (repositories) => {
      if (!(await repositories.merchants.find(id))) return err(noMerchant(id));
      const { until } = overlapFrom(deps, overlapSeconds);
      await repositories.webhookSecrets.put(made(deps, id, environment), until);
      return ok(await shown(deps, repositories, id, environment));
    });
}

export type EndOverlap = (
  id: string,
  environment: Environment,
  seconds: number,
) => SecretChange<{
  /** False if there is none. */
  readonly ends: boolean;
  /** Null: immediately. */
  readonly until: Date | null;
}>;

/**
 * Ends the older secret of an overlap after `seconds`, which may shorten or extend it; with 0
 * immediately, whatever the clock shows.
 */
export function endSecretOverlap(deps: WebhookSecretNeeds): EndOverlap {
  return (id, environment, seconds) =>
    deps.unitOfWork.run(async ({ merchants, webhookSecrets }) => {
      if (!(await merchants.find(id))) return err(noMerchant(id));
      const { now, until } = overlapFrom(deps, seconds);
      return ok({ ends: await webhookSecrets.endOlder(id, environment, { now, until }), until });
    });
}

/** An overlap that begins now; without an end if it has no length. */
export function overlapFrom(
  { clock }: Pick<WebhookSecretNeeds, 'clock'>,
  seconds: number,
): { now: Date; until: Date | null } {
  const now = clock.now();
  return { now, until: seconds === 0 ? null : new Date(now.getTime() + seconds * 1_000) };
}

/** The existing secret, or a first one. */
export async function firstSecret(
  deps: WebhookSecretNeeds,
  repositories: Repositories,
  merchantId: string,
  environment: Environment,
): Promise<ShownSecret> {
  await repositories.webhookSecrets.putFirst(made(deps, merchantId, environment));
  return shown(deps, repositories, merchantId, environment);
}

function made(deps: WebhookSecretNeeds, merchantId: string, environment: Environment): StoredSecret {
  const sealed = deps.vault.seal(deps.ids.webhookSecret(), WEBHOOK_SECRET_CONTEXT);
  return { merchantId, environment, sealed, createdAt: deps.clock.now() };
}

async function shown(
  deps: WebhookSecretNeeds,
  { webhookSecrets }: Repositories,
  merchantId: string,
  environment: Environment,
): Promise<ShownSecret> {
  const found = await webhookSecrets.find(merchantId, environment);
  if (found === null) throw new Error(`a secret that was stored is not there: ${merchantId}`);
  const until = found.older?.until ?? null;
  return {
    secret: deps.vault.open(found.sealed, WEBHOOK_SECRET_CONTEXT),
    olderUntil: until !== null && until > deps.clock.now() ? until : null,
  };
}

function noMerchant(id: string): AppError {
  return appError('NOT_FOUND', `No such merchant: ${id}`);
}
