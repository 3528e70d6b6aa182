/**
 * What must stay at a deposit address, since nobody decided on it. That is what our records have as
 * undecided, less what the operator booked as gone: the rest is there, or arrived later.
 */
import { larger } from '../../../domain/money/larger.ts';
import type { Block } from '../../../domain/sending/outgoing.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import type { SendingChain } from '../sending-chain.ts';

interface Place {
  readonly address: string;
  readonly asset: string;
}

/**
 * Base units as of `block`; null where our records are of another block. More than the address has
 * where some of it is missing and that is not booked.
 */
export async function undecidedUnits(
  repositories: Pick<Repositories, 'capital' | 'chains' | 'sweeps'>,
  on: Pick<SendingChain, 'chain' | 'sender'>,
  place: Place,
  { height, hash }: Block,
): Promise<bigint | null> {
  const { chains, sweeps } = repositories;
  const { chain } = on;
  const undecided = await sweeps.undecidedUnits({ ...place, chain, height });
  const gone = undecided === 0n ? 0n : await goneUnits(repositories, on, place, height);
  // Asked last: a reorganisation that was recorded before this has taken the block away.
  return (await chains.hasRead(chain, { height, hash })) ? undecided - gone : null;
}

/**
 * Undecided units that were gone at the block of the last booking: the books of then are what was
 * there. What that does not prove counts as there: other money may be gone instead.
 */
async function goneUnits(
  { capital, sweeps }: Pick<Repositories, 'capital' | 'sweeps'>,
  { chain, sender: { nativeAsset } }: Pick<SendingChain, 'chain' | 'sender'>,
  { address, asset }: Place,
  height: number,
): Promise<bigint> {
  const place = { chain, address, asset };
  const booked = await capital.lastHeight(place);
  if (booked === null || booked > height) return 0n;
  const undecided = await sweeps.undecidedUnits({ ...place, height: booked });
  const at = { chain, nativeAsset, height: booked, addresses: [address], apart: [] };
  const rows = await capital.unitsOfAddresses(at);
  const there = larger(rows.find((row) => row.asset === asset)?.units ?? 0n, 0n);
  return larger(undecided - there, 0n);
}
