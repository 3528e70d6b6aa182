/** Reads what of a deposit address's coin is decided, by our records. */
import type { Block } from '../../../domain/sending/outgoing.ts';
import type { OwnMoney } from '../../../domain/sending/own-money.ts';
import type { SigningOrder } from '../../../ports/sending/signer.ts';
import type { AppDependencies } from '../../dependencies.ts';
import type { SendingChain, SendingNeeds } from '../sending-chain.ts';
import { undecidedUnits } from './undecided-units.ts';

/**
 * As of `block`. Null where our records are of another block, or where something was moved here in
 * a later one.
 */
export async function ownMoney(
  { treasuryQueries, unitOfWork }: Pick<AppDependencies, 'treasuryQueries' | 'unitOfWork'>,
  on: Pick<SendingChain, 'chain' | 'sender'>,
  { address, block }: { readonly address: string; readonly block: Block },
): Promise<OwnMoney | null> {
  const { chain, sender } = on;
  const { nativeAsset: asset } = sender;
  const { height } = block;
  const at = { chain, nativeAsset: asset, height, addresses: [address], apart: [] };
  const rows =
    sender.capabilities.uncountedUnits === undefined ? await treasuryQueries.unitsOfAddresses(at) : null;
  const keptUnits = await unitOfWork.run(async (repositories) => {
    const lastMoved = await repositories.sweeps.lastMovedAt({ chain, address });
    return (lastMoved ?? 0) > height ? null : undecidedUnits(repositories, on, { address, asset }, block);
  });
  if (keptUnits === null) return null;
  if (rows === null) return { keptUnits, mostUnits: null };
  const recorded = rows.find((row) => row.asset === asset)?.units ?? 0n;
  return { keptUnits, mostUnits: recorded - keptUnits };
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
  const own = block && (await ownMoney(deps, on, { address: wallet, block }));
  return own && { own };
}
