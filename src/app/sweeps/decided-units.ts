/**
 * What a sweep may take of the units at an address: not those of deposits that nobody decided on.
 * What our records cover may be gone without the gateway (a lost sweep after a restore), and then
 * other payments lie there in its place.
 */
import type { Block } from '../../domain/sending/outgoing.ts';
import type { SweepNeeds } from './sweep-needs.ts';

/** Of `units` at `block`; null where our records are of another block. */
export function decidedUnits(
  { unitOfWork }: Pick<SweepNeeds, 'unitOfWork'>,
  place: { readonly chain: string; readonly address: string; readonly asset: string },
  { block: { height, hash }, units }: { block: Block; units: bigint },
): Promise<bigint | null> {
  return unitOfWork.run(async ({ chains, sweeps }) => {
    const undecided = await sweeps.undecidedUnits({ ...place, height });
    // Asked last: a reorganisation that was recorded before this has taken the block away.
    return (await chains.hasRead(place.chain, { height, hash })) ? units - undecided : null;
  });
}
