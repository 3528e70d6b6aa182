/**
 * Permanent deposit addresses. Get-or-create gives one row under any concurrency; deactivation is
 * final.
 */
import { CHAINS } from '../../domain/catalog/chain.ts';
import type { PermanentFamily } from '../../domain/catalog/family.ts';
import { type AppError, appError, invoiceRejected } from '../../domain/errors.ts';
import type { PermanentAddress } from '../../domain/invoices/permanent-address.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { Scope } from '../../ports/list-queries.ts';
import type { Repositories } from '../../ports/repositories.ts';
import { IdempotencyKeyTaken, type Once } from '../../ports/stored-answers.ts';
import type { PermanentAddressInput } from '../application.ts';
import { notReachedYet } from '../catalog/asset-access.ts';
import type { AppDependencies } from '../dependencies.ts';
import { storeAnswer } from '../shared/store-answer.ts';
import type { AddressAllocator, FreshAddress } from './addresses/address-allocator.ts';
import { isFrozen } from './frozen-address.ts';

export interface PermanentAddresses {
  /**
   * Returns the active address of (merchant, environment, user, family); creates it if there is
   * none. With `once` the response is stored with it; creates nothing and throws
   * IdempotencyKeyTaken if its key is used.
   */
  getOrCreate(
    scope: Scope,
    input: PermanentAddressInput,
    once?: Once<PermanentAddress> | null,
  ): Promise<Result<PermanentAddress, AppError>>;
  /** Payments to it are strays from now on. Deactivating twice gives the same result. */
  deactivate(scope: Scope, id: string): Promise<Result<PermanentAddress, AppError>>;
}

type Needs = Pick<
  AppDependencies,
  'unitOfWork' | 'clock' | 'ids' | 'watchedChains' | 'chainHealth' | 'liveDerivers'
>;

export function permanentAddresses(deps: Needs, allocator: AddressAllocator): PermanentAddresses {
  return {
    async getOrCreate(scope, input, once = null) {
      const key = { ...scope, userId: input.userId, family: input.family };
      const existing = await deps.unitOfWork.run(async (repositories) => {
        const found = await findUsable(deps, repositories, key);
        if (found?.active) await storeAnswer(deps, repositories, scope, once, found);
        return found;
      });
      if (existing?.active) return ok(existing);
      const taken = await freshAddress(deps, allocator, scope, input);
      if (!taken.ok) return taken;
      const fresh = taken.value;
      const given = await deps.unitOfWork
        .run(async (repositories) => {
          const made = await giveOut(deps, repositories, scope, { input, fresh, existing });
          await storeAnswer(deps, repositories, scope, once, made.address);
          return made;
        })
        .catch((error: unknown) => {
          if (error instanceof IdempotencyKeyTaken) allocator.giveBack(fresh);
          throw error;
        });
      if (!given.created) allocator.giveBack(fresh);
      return ok(given.address);
    },

    deactivate: deactivateAddress(deps),
  };
}

export function deactivateAddress(
  deps: Pick<Needs, 'unitOfWork' | 'clock'>,
): PermanentAddresses['deactivate'] {
  return (scope, id) =>
    deps.unitOfWork.run(async (repositories) => {
      const address = await repositories.permanentAddresses.lock(id);
      if (!address || address.merchantId !== scope.merchantId || address.sandbox !== scope.sandbox) {
        return err(appError('NOT_FOUND', 'No such permanent address.'));
      }
      return ok(await deactivated(deps, repositories, address));
    });
}

/** A new address; refused if no chain of the family is watched, or none was reached yet. */
async function freshAddress(
  deps: Needs,
  allocator: AddressAllocator,
  { sandbox }: Scope,
  input: PermanentAddressInput,
): Promise<Result<FreshAddress, AppError>> {
  const chains = CHAINS.filter(({ family }) => family === input.family);
  const watched = chains.some(({ name }) => deps.watchedChains.has(name));
  const fresh = sandbox || watched ? await allocator.next(input.family, sandbox) : null;
  if (fresh !== null) return ok(fresh);
  if (!sandbox && !watched && deps.liveDerivers.has(input.family)) {
    const awaited = chains.find(({ name }) => deps.chainHealth.has(name));
    if (awaited) return err(notReachedYet(awaited.name));
  }
  return err(
    invoiceRejected(
      'family_unavailable',
      `This gateway watches no ${input.family} network, so it has no permanent addresses of that family.`,
    ),
  );
}

/** Stores the address, or returns the one that another request stored at the same time. */
async function giveOut(
  { ids, clock }: Needs,
  repositories: Repositories,
  scope: Scope,
  {
    input,
    fresh,
    existing,
  }: { input: PermanentAddressInput; fresh: FreshAddress; existing: PermanentAddress | null },
): Promise<{ address: PermanentAddress; created: boolean }> {
  const key = { ...scope, userId: input.userId, family: input.family };
  const address: PermanentAddress = {
    id: ids.id(),
    ...key,
    address: fresh.display,
    active: true,
    createdAt: clock.now(),
    deactivatedAt: null,
    metadata: input.metadata ?? existing?.metadata ?? null,
    notifyUrl: input.notifyUrl ?? existing?.notifyUrl ?? null,
    webhookFormat: input.webhookFormat ?? existing?.webhookFormat ?? input.defaultFormat ?? 'native_v2',
  };
  if (await repositories.permanentAddresses.insertIfAbsent(address)) {
    await repositories.addresses.insert({
      family: fresh.family,
      address: fresh.normalized,
      deriver: fresh.deriver,
      derivationIndex: fresh.derivationIndex,
      ...scope,
      invoiceId: null,
      permanentAddressId: address.id,
      issuedAt: address.createdAt,
    });
    return { address, created: true };
  }
  const winner = await repositories.permanentAddresses.findActive(key);
  if (!winner) throw new Error('a permanent address was neither inserted nor found');
  return { address: winner, created: false };
}

/**
 * The active one. If it is frozen, it is deactivated, and returned inactive: its settings go to the
 * next one.
 */
async function findUsable(
  deps: Needs,
  repositories: Repositories,
  key: Scope & { userId: string; family: PermanentFamily },
): Promise<PermanentAddress | null> {
  const found = await repositories.permanentAddresses.findActive(key);
  if (found === null || key.sandbox) return found;
  const { family } = key;
  const chains = CHAINS.filter((chain) => chain.family === family).map(({ name }) => name);
  if (!(await isFrozen(deps, repositories, { family, chains }, found.address))) return found;
  const locked = await repositories.permanentAddresses.lock(found.id);
  return locked && deactivated(deps, repositories, locked);
}

async function deactivated(
  { clock }: Pick<Needs, 'clock'>,
  repositories: Repositories,
  address: PermanentAddress,
): Promise<PermanentAddress> {
  if (!address.active) return address;
  const inactive = { ...address, active: false, deactivatedAt: clock.now() };
  await repositories.permanentAddresses.save(inactive);
  return inactive;
}
