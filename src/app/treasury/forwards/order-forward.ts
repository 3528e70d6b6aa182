/**
 * Orders a forward: amount, nonce and transfer in one transaction, under the lock of the wallet, so
 * that two workers never order one each, and no payout spends the same money.
 */
import { isOpenTransfer } from '../../../domain/sending/outgoing.ts';
import { type ForwardBar, unitsToForward } from '../../../domain/treasury/forward.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import type { NonceFrom } from '../../../ports/sending/outgoing-repository.ts';
import type { UtxoSpending } from '../../../ports/sending/utxo-spending.ts';
import { hotWalletOf, insertTransfer } from '../../sending/sending-chain.ts';
import { claimUtxos, OWN_COUNT } from '../../sending/utxos/claim-utxos.ts';
import { hasNoPlace } from '../../sweeps/order-sweeps.ts';
import { lockedMoney, type SeenMoney, seeMoney } from './forward-money.ts';
import { chooseUtxos, lockedUtxoMoney, type UtxoPrices } from './forward-utxos.ts';
import type { Forwarding, WantedForward } from './forwarding.ts';

export type Ordered =
  | { readonly kind: 'ordered'; readonly id: string; readonly units: bigint }
  | { readonly kind: 'barred'; readonly bar: ForwardBar }
  /** There is not enough of it. */
  | { readonly kind: 'nothing' };

const NOTHING: Ordered = { kind: 'nothing' };
const barred = (bar: ForwardBar): Ordered => ({ kind: 'barred', bar });

/** Rejects with ChainUnavailable. */
export async function orderForward(forwarding: Forwarding, wanted: WantedForward): Promise<Ordered> {
  const { on, nextNonce } = forwarding;
  const { utxos } = on.sender;
  if (utxos !== null) return orderFromUtxos(forwarding, utxos, wanted);
  const money = await seeMoney(forwarding, wanted);
  if (money === null) return NOTHING;
  const from = await nextNonce(hotWalletOf(on));
  return locked(forwarding, wanted, (repositories) =>
    orderFromBalance(forwarding, repositories, wanted, { money, from }),
  );
}

/** Runs `order` where nothing bars it under the lock of the wallet. */
function locked(
  { deps, on, gate }: Forwarding,
  { asset }: WantedForward,
  order: (repositories: Repositories) => Promise<Ordered>,
): Promise<Ordered> {
  return deps.unitOfWork.run(async (repositories) => {
    const { outgoing } = repositories;
    if ((await outgoing.signingStopped()) !== null) return barred('stopped');
    if (gate.isShut()) return barred('start');
    await outgoing.lockWallet({ chain: on.chain, address: hotWalletOf(on) });
    const [newest] = await outgoing.newestForwards(asset, 1);
    return newest !== undefined && isOpenTransfer(newest) ? barred('open') : order(repositories);
  });
}

async function orderFromBalance(
  forwarding: Forwarding,
  repositories: Repositories,
  wanted: WantedForward,
  { money, from }: { money: SeenMoney; from: NonceFrom },
): Promise<Ordered> {
  const { deps, on } = forwarding;
  const { asset, rule } = wanted;
  const found = await lockedMoney(forwarding, repositories, asset, money);
  const units = unitsToForward(rule, found, wanted);
  if (units === null) return NOTHING;
  if (await hasNoPlace(deps, on, repositories)) return barred('place');
  if (asset !== on.sender.nativeAsset && found.nativeUnits < money.feeUnits) return barred('fee');
  return insert(forwarding, repositories, wanted, { units, from });
}

async function orderFromUtxos(
  forwarding: Forwarding,
  utxos: UtxoSpending,
  wanted: WantedForward,
): Promise<Ordered> {
  const { sender } = forwarding.on;
  const { asset, rule, cold: to } = wanted;
  const { maxUnits } = await sender.price({ asset, to });
  const prices: UtxoPrices = { feeRate: await utxos.feeRate(), maxFeeUnits: maxUnits };
  return locked(forwarding, wanted, async (repositories) => {
    const money = await lockedUtxoMoney(forwarding, repositories, prices);
    const units = unitsToForward(rule, money, wanted);
    const chosen =
      units === null ? null : await chooseUtxos(forwarding, utxos, repositories, { units, to, prices });
    if (chosen === null) return NOTHING;
    if (utxos.isDust({ to, units: chosen.units })) return barred('dust');
    const ordered = await insert(forwarding, repositories, wanted, { units: chosen.units, from: OWN_COUNT });
    await claimUtxos(repositories, forwarding.on.chain, ordered.id, chosen.utxos);
    return ordered;
  });
}

async function insert(
  { deps, on }: Forwarding,
  repositories: Repositories,
  { asset, cold, requested }: WantedForward,
  { units, from }: { units: bigint; from: NonceFrom },
): Promise<Extract<Ordered, { kind: 'ordered' }>> {
  const id = deps.ids.id();
  await insertTransfer(repositories, {
    ...{ id, chain: on.chain, wallet: hotWalletOf(on), from, purpose: 'forward', referenceId: id },
    ...{ asset, to: cold, units, createdAt: deps.clock.now() },
  });
  if (requested) await repositories.forwardRequests.remove(asset);
  return { kind: 'ordered', id, units };
}
