/** Reads what of the coin at deposit addresses is decided, by our records. */
import type { Block } from '../../../domain/sending/outgoing.ts';
import type { OwnMoney } from '../../../domain/sending/own-money.ts';
import type { SigningOrder } from '../../../ports/sending/signer.ts';
import type { AppDependencies } from '../../dependencies.ts';
import type { SendingChain, SendingNeeds } from '../sending-chain.ts';
import { type UndecidedUnits, undecidedUnits } from './undecided-units.ts';

/** Of many addresses, and what must stay there of these assets and the coin. */
export interface OwnMoneyOfMany {
  /** By address, without those where something was moved in a later block. */
  readonly own: ReadonlyMap<string, OwnMoney>;
  readonly undecided: UndecidedUnits;
}

/** As of `block`. Null where our records are of another block. */
export async function ownMoney(
  { treasuryQueries, unitOfWork }: Pick<AppDependencies, 'treasuryQueries' | 'unitOfWork'>,
  on: Pick<SendingChain, 'chain' | 'sender'>,
  {
    addresses,
    assets = [],
    block,
  }: {
    readonly addresses: readonly string[];
    readonly assets?: readonly string[];
    readonly block: Block;
  },
): Promise<OwnMoneyOfMany | null> {
  const { chain, sender } = on;
  const { nativeAsset } = sender;
  const { height } = block;
  const at = { chain, nativeAsset, height, addresses, apart: [] };
  const rows =
    sender.capabilities.uncountedUnits === undefined ? await treasuryQueries.unitsOfAddresses(at) : null;
  const found = await unitOfWork.run(async (repositories) => {
    const lastMoved = await repositories.sweeps.lastMovedAt({ chain, addresses });
    const of = { addresses, assets: [...assets, nativeAsset] };
    const undecided = await undecidedUnits(repositories, on, of, block);
    return undecided && { lastMoved, undecided };
  });
  if (found === null) return null;
  const coins = (rows ?? []).flatMap(({ asset, address, units }) =>
    asset === nativeAsset ? [[address, units] as const] : [],
  );
  const recorded = new Map(coins);
  const own = new Map<string, OwnMoney>();
  for (const address of addresses) {
    if ((found.lastMoved.get(address) ?? 0) > height) continue;
    const keptUnits = found.undecided.get(address)?.get(nativeAsset) ?? 0n;
    const mostUnits = rows === null ? null : (recorded.get(address) ?? 0n) - keptUnits;
    own.set(address, { keptUnits, mostUnits });
  }
  return { own, undecided: found.undecided };
}

/**
 * What a sweep may spend at a deposit address, which may have money of others, too. Fees may have
 * risen since it was ordered. Null while our records lack what was moved there. A transaction that
 * voids may take all that is there: an operator sends the gas for it.
 */
export async function ownOf(
  deps: SendingNeeds,
  on: SendingChain,
  { purpose, wallet, voids, feePayer }: Pick<SigningOrder, 'purpose' | 'wallet' | 'voids' | 'feePayer'>,
): Promise<{ readonly own?: OwnMoney } | null> {
  if (purpose !== 'sweep' || voids || feePayer !== null) return {};
  const block = await deps.unitOfWork.run(({ chains }) => chains.cursor(on.chain));
  const found = block && (await ownMoney(deps, on, { addresses: [wallet], block }));
  const own = found?.own.get(wallet);
  return own === undefined ? null : { own };
}
