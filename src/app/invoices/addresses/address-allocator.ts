/**
 * Issues new deposit addresses from memory, so that creating an invoice derives and reserves
 * nothing: indexes are reserved in blocks and derived ahead (performance.md, "Creating an
 * invoice"). A restart leaves a gap of unused indexes. Reserved indexes are noted outside the
 * database before use, so that no index is issued twice even if the database is restored.
 */
import type { Family } from '../../../domain/catalog/family.ts';
import type { AddressDeriver } from '../../../ports/chains/address-deriver.ts';
import type { AppDependencies } from '../../dependencies.ts';

export interface FreshAddress {
  readonly family: Family;
  readonly deriver: string;
  readonly derivationIndex: number;
  /** As shown to the customer. */
  readonly display: string;
  /** Key of the address directory. */
  readonly normalized: string;
}

export interface AddressAllocator {
  /** A never-used address, or null when the family has no deriver in that environment. */
  next(family: Family, sandbox: boolean): Promise<FreshAddress | null>;
  /** Takes back an address that was neither stored nor shown. */
  giveBack(address: FreshAddress): void;
}

const BLOCK = 256;
const REFILL_BELOW = 64;

type Needs = Pick<AppDependencies, 'unitOfWork' | 'issuedIndexes' | 'liveDerivers' | 'sandboxDerivers'>;

export function addressAllocator(deps: Needs): AddressAllocator {
  const pools = new Map<string, Pool>();
  return {
    async next(family, sandbox) {
      const live = deps.liveDerivers.get(family);
      const deriver = sandbox ? (deps.sandboxDerivers.get(family) ?? live) : live;
      if (!deriver) return null;
      const name = deriver === live ? family : `fake:${family}`;
      let pool = pools.get(name);
      if (!pool) {
        pool = addressPool(deps, { name, family, deriver });
        pools.set(name, pool);
      }
      return pool.take();
    },
    giveBack(address) {
      pools.get(address.deriver)?.giveBack(address);
    },
  };
}

interface Pool {
  take(): Promise<FreshAddress>;
  giveBack(address: FreshAddress): void;
}

function addressPool(deps: Needs, source: { name: string; family: Family; deriver: AddressDeriver }): Pool {
  const ready: FreshAddress[] = [];
  let refilling: Promise<void> | null = null;
  /** Reserved, but not derived yet: a deriver that is not ready gets the same indexes again. */
  let reserved: number | null = null;

  async function reserve(): Promise<number> {
    const atLeast = (await deps.issuedIndexes.all()).get(source.name) ?? 0;
    const wanted = { deriver: source.name, count: BLOCK, atLeast };
    return deps.unitOfWork.run(({ addresses }) => addresses.reserveIndexes(wanted));
  }

  async function refill(): Promise<void> {
    reserved ??= await reserve();
    const from = reserved;
    await deps.issuedIndexes.note(new Map([[source.name, from + BLOCK]]));
    const derived = await source.deriver.derive({ from, count: BLOCK });
    reserved = null;
    for (const [offset, display] of derived.entries()) {
      const normalized = source.deriver.normalize(display);
      if (normalized === null)
        throw new Error(`the ${source.name} deriver made an address it does not accept`);
      ready.push({
        family: source.family,
        deriver: source.name,
        derivationIndex: from + offset,
        display,
        normalized,
      });
    }
  }

  function startRefill(): Promise<void> {
    refilling ??= refill().finally(() => {
      refilling = null;
    });
    return refilling;
  }

  return {
    async take() {
      for (;;) {
        const address = ready.shift();
        if (address) {
          // The next request that finds the pool empty gets the failure of the refill.
          if (ready.length < REFILL_BELOW) startRefill().catch(() => {});
          return address;
        }
        await startRefill();
      }
    },
    giveBack(address) {
      ready.unshift(address);
    },
  };
}
