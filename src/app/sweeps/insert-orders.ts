/** Stores the transfers that sweeps order, and what they make of the sweeps. */
import { allocatedTransfer } from '../../domain/sending/outgoing.ts';
import type { Sweep, SweepStep } from '../../domain/sweeps/sweep.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { NonceFrom } from '../../ports/sending/outgoing-repository.ts';
import { hotWalletOf, hotWalletText } from '../sending/sending-chain.ts';
import type { SweepChanges } from './change-sweep.ts';
import type { SweepNeeds, TreasuryChain } from './sweep-needs.ts';

/** A step that orders a transfer. */
export type OrderedStep = Extract<SweepStep, { units: bigint }>;

export interface SweepOrder {
  readonly sweep: Sweep;
  readonly step: OrderedStep;
  /** Where the nonces of the wallet that sends it continue. */
  readonly from: NonceFrom;
}

/** What each step orders, and what it makes of the sweep. */
const ORDERS: {
  readonly [Kind in OrderedStep['kind']]: {
    readonly purpose: 'topup' | 'lend' | 'sweep';
    readonly fromHotWallet: boolean;
    readonly changes: (id: string, units: bigint) => Partial<Sweep>;
  };
} = {
  top_up: { purpose: 'topup', fromHotWallet: true, changes: (id) => ({ status: 'topping_up', topupId: id }) },
  lend: { purpose: 'lend', fromHotWallet: true, changes: (id) => ({ status: 'lending', delegationId: id }) },
  sweep: {
    purpose: 'sweep',
    fromHotWallet: false,
    changes: (id, units) => ({ status: 'sweeping', transferId: id, units }),
  },
};

/** In their order, in the caller's transaction, which has all wallets locked. */
export async function insertOrders(
  { clock, ids }: Pick<SweepNeeds, 'clock' | 'ids'>,
  on: TreasuryChain,
  { outgoing }: Repositories,
  changes: SweepChanges,
  orders: readonly SweepOrder[],
): Promise<void> {
  if (orders.length === 0) return;
  const { chain } = on;
  const hot = hotWalletOf(on);
  const isFromHot = ({ step }: SweepOrder): boolean => ORDERS[step.kind].fromHotWallet;
  const served = orders.filter(isFromHot);
  const [first] = served;
  const ofHot = first ? await outgoing.takeNonces({ chain, address: hot, ...first.from }, served.length) : [];
  const sent = orders.filter((order) => !isFromHot(order));
  const ofAddress = await outgoing.takeNonceOfEach(
    chain,
    sent.map(({ sweep, from }) => ({ address: sweep.address, ...from })),
  );
  const transfers = orders.map((order) => {
    const { sweep, step } = order;
    const nonce = isFromHot(order) ? ofHot[served.indexOf(order)] : ofAddress.get(sweep.address);
    if (nonce === undefined) throw new Error(`no nonce of ${sweep.address} was taken`);
    return allocatedTransfer({
      id: ids.id(),
      chain,
      nonce,
      purpose: ORDERS[step.kind].purpose,
      referenceId: sweep.id,
      ...(isFromHot(order)
        ? { wallet: hot, asset: on.sender.nativeAsset, to: sweep.address }
        : { wallet: sweep.address, asset: sweep.asset, to: hotWalletText(on) }),
      units: step.units,
      createdAt: clock.now(),
    });
  });
  await outgoing.insertAll(transfers);
  for (const [nth, { id, units }] of transfers.entries()) {
    const { sweep, step } = orders[nth]!;
    changes.save({ ...sweep, reason: null, ...ORDERS[step.kind].changes(id, units) });
  }
}
