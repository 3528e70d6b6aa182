/**
 * What must stay at a deposit address, since nobody decided on it. That is what our records have as
 * undecided, less what the operator booked as gone: the rest is there, or arrived later.
 */
import { larger } from '../../../domain/money/larger.ts';
import type { Block } from '../../../domain/sending/outgoing.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import type { UnitsAtAddress } from '../../../ports/treasury/hot-wallet-at.ts';
import type { SendingChain } from '../sending-chain.ts';

interface Place {
  readonly address: string;
  readonly asset: string;
}

/** Base units by address and asset; none where nothing is undecided. */
export type UndecidedUnits = ReadonlyMap<string, ReadonlyMap<string, bigint>>;

/**
 * At the addresses as of `block`, of these assets; null where our records are of another block.
 * More than an address has where some of it is missing and that is not booked.
 */
export async function undecidedUnits(
  repositories: Pick<Repositories, 'capital' | 'chains' | 'sweeps'>,
  on: Pick<SendingChain, 'chain' | 'sender'>,
  { addresses, assets }: { readonly addresses: readonly string[]; readonly assets: readonly string[] },
  { height, hash }: Block,
): Promise<UndecidedUnits | null> {
  const { chains, sweeps } = repositories;
  const { chain } = on;
  const found = new Map(addresses.map((address) => [address, new Map<string, bigint>()]));
  for (const { address, asset, units } of await sweeps.undecidedUnits({ chain, addresses, height })) {
    if (units === 0n || !assets.includes(asset)) continue;
    const gone = await goneUnits(repositories, on, { address, asset }, height);
    found.get(address)?.set(asset, units - gone);
  }
  // Asked last: a reorganisation that was recorded before this has taken the block away.
  return (await chains.hasRead(chain, { height, hash })) ? found : null;
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
  const at = { chain, nativeAsset, height: booked, addresses: [address], apart: [] };
  const undecided = unitsOf(await sweeps.undecidedUnits(at), asset);
  const there = larger(unitsOf(await capital.unitsOfAddresses(at), asset), 0n);
  return larger(undecided - there, 0n);
}

const unitsOf = (rows: readonly UnitsAtAddress[], asset: string): bigint =>
  rows.find((row) => row.asset === asset)?.units ?? 0n;
