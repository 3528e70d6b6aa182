/**
 * What sending costs at present, as nodes report it; constants are used only where nodes cannot
 * tell.
 */

import type { Clock } from '../../../../ports/runtime/clock.ts';
import type { SendingPrice } from '../../../../ports/sending/chain-sender.ts';
import { addressHex } from '../address.ts';
import { type Called, constantCall } from '../constant-call.ts';
import { transferCall } from '../contract.ts';
import type { TronNode } from '../node.ts';
import { bandwidthOf, type Energy, firstHolderEnergy, withRoom } from './fees.ts';
import { readAccount, readPrices } from './resources.ts';
import type { TronSending } from './sending.ts';
import { unitsOf } from './wallet-balances.ts';

/** Most signed bytes of our transactions: no amount or time takes more. */
const COIN_BYTES = 210;
const TOKEN_BYTES = 290;
/** Unused addresses: a payer, and a recipient who is new to the chain and to every token. */
const NOBODY = '419b4e7d2f61a8c35094de17b263fa80c5e71d4a96';
const NEWCOMER = '41d1f0a9b34c5e76281f90c3b7a6e5d4820fb1c693';
/**
 * For a token that refuses a transfer of zero, and so cannot be tried: as much as expensive ones
 * take.
 */
const COSTLY: Energy = { tried: 120_000n, penalty: 0n };

/** Without a recipient: the price of a payment to a new one, the most expensive. */
export async function priceOf(
  sending: TronSending,
  { asset, to }: { asset: string; to: string | null },
): Promise<SendingPrice> {
  const recipient = (to === null ? null : addressHex(to)) ?? NEWCOMER;
  const contract = sending.assets.of(asset);
  return sending.pool.use(async (node) => {
    const prices = await readPrices(node);
    if (contract === null) {
      const known = (await readAccount(node, recipient)) !== null;
      const units = known
        ? bandwidthOf(COIN_BYTES) * prices.byte
        : prices.activation + prices.activationBandwidth;
      return { expectedUnits: units, maxUnits: units, energyUnits: 0n };
    }
    const energy = await usualEnergy(node, contract, recipient);
    const bytes = bandwidthOf(TOKEN_BYTES) * prices.byte;
    const energyUnits = energy * prices.energy;
    return {
      expectedUnits: energyUnits + bytes,
      maxUnits: withRoom(energy) * prices.energy + bytes,
      energyUnits,
    };
  });
}

/** A transfer of zero between addresses without tokens. */
export function ordinaryTransfer(node: TronNode, contract: string, recipient = NEWCOMER): Promise<Called> {
  const data = transferCall({ to: recipient, units: 0n });
  return constantCall(node, { owner: NOBODY, contract, data });
}

/** Energy of such a transfer. Only one to a first holder takes more. */
export async function usualEnergy(node: TronNode, contract: string, recipient: string): Promise<bigint> {
  const called = await ordinaryTransfer(node, contract, recipient);
  const tried: Energy = called.kind === 'done' ? { tried: called.energy, penalty: called.penalty } : COSTLY;
  const holds = (await unitsOf(node, 'wallet', { wallet: recipient, contract })) > 0n;
  return holds ? tried.tried : tried.tried + firstHolderEnergy(tried);
}

const REMEMBERED_MS = 60_000;

/** `usualEnergy` for a new holder, read once a minute. */
export function ordinaryEnergyBook({ clock }: { clock: Clock }): TronSending['ordinaryEnergy'] {
  const known = new Map<string, { readonly energy: bigint; readonly until: number }>();
  return async (node, contract, { anew } = { anew: false }) => {
    const now = clock.now().getTime();
    const found = known.get(contract);
    if (found !== undefined && found.until > now && !anew) return found.energy;
    const energy = await usualEnergy(node, contract, NEWCOMER);
    known.set(contract, { energy, until: now + REMEMBERED_MS });
    return energy;
  };
}
