/** Builds a sweep for a test. */
import type { Sweep } from '../../../src/domain/sweeps/sweep.ts';
import { anAddress, anId, NOW } from '../builders.ts';

/** A planned one of USDT on ethereum, at an address of its own. */
export function aSweep(given: Partial<Sweep> = {}): Sweep {
  return {
    ...{ id: anId(), chain: 'ethereum', address: anAddress(), asset: 'usdt_ethereum', status: 'planned' },
    ...{ topupId: null, delegationId: null, transferId: null, undelegationId: null },
    ...{ forced: false, units: null, reason: null, createdAt: NOW, endedAt: null },
    ...given,
  };
}
