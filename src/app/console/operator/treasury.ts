/** The money in our wallets: where it is, sweeps on demand, and the operator's own money. */
import { type AppError, appError } from '../../../domain/errors.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import type { OutgoingTransfer } from '../../../domain/sending/outgoing.ts';
import { ChainUnavailable } from '../../../ports/chains/chain-scanner.ts';
import { audited } from '../../audit/audited.ts';
import { noteFault } from '../../audit/note-fault.ts';
import { joined } from '../../shared/joined.ts';
import { type GasForVoid, gasForVoid, giveUpSweep } from '../../sweeps/give-up-sweep.ts';
import { requestSweeps } from '../../sweeps/plan-sweeps.ts';
import type { TreasuryChain } from '../../sweeps/sweep-needs.ts';
import {
  bookCapital,
  bookMeasured,
  type MeasuredWallet,
  measureWallet,
} from '../../treasury/book-capital.ts';
import { thawAddress, treasuryStatus } from '../../treasury/treasury.ts';
import type { Carrier, Within } from '../approvals/carry-out.ts';
import { textOf } from '../approvals/order-payloads.ts';
import { orderWithin } from '../approvals/order-within.ts';
import { ordered } from '../approvals/ordered.ts';
import type { DeskFault } from '../merchant-desk.ts';
import type { ChainTreasury, OperatorDesk } from '../operator-desk.ts';
import { adoptionWithin } from './funding.ts';
import {
  act,
  actionOf,
  asking,
  chainHere,
  type OperatorParts,
  requesterFrom,
  worthOf,
} from './seat-parts.ts';

type TreasuryActions = Pick<
  OperatorDesk,
  'treasury' | 'requestSweeps' | 'giveUpSweep' | 'previewCapital' | 'bookCapital' | 'thawAddress'
>;

export function treasuryActions(parts: OperatorParts): TreasuryActions {
  const { deps } = parts;
  return {
    treasury: (chain) => treasuryOf(parts, chain),

    async requestSweeps(by, { chain, asset, address }) {
      const on = chainHere(parts, chain);
      if (!on.ok) return on;
      const normalized = address === null ? null : on.value.deriver.normalize(address);
      if (address !== null && normalized === null)
        return err(appError('NOT_FOUND', `${address} is no address of ${chain}.`));
      if (asset !== null && deps.catalog.get(asset)?.chain !== chain)
        return err(appError('NOT_FOUND', `No such asset of ${chain}.`));
      const note = [chain, asset, normalized].filter((part) => part !== null).join(' ');
      const planned = await act(deps, by, { action: 'sweep.requested', subject: 'sweep', note }, (within) =>
        requestSweeps(within, on.value, { asset, address: normalized }),
      );
      return ok(planned);
    },

    async giveUpSweep(by, id) {
      const action = { action: 'sweep.given_up', subject: 'sweep', id } as const;
      const given = await act(deps, by, action, (within) => giveUpSweep(within)(id));
      if (!given.ok) return given;
      const { transfer } = given.value;
      return ok({ ...given.value, gas: transfer === null ? null : await gasOf(parts, transfer) });
    },

    async previewCapital({ chain, asset }) {
      const on = chainHere(parts, chain);
      if (!on.ok) return on;
      return asking(chain, () => bookCapital(deps, on.value)({ asset, note: '', dryRun: true }));
    },

    bookCapital: bookCapitalAt(parts),

    thawAddress(by, { chain, address }) {
      const on = chainHere(parts, chain);
      const normalized = on.ok ? on.value.deriver.normalize(address) : address;
      if (normalized === null)
        return Promise.resolve(err(appError('NOT_FOUND', `${address} is no address of ${chain}.`)));
      const action = {
        action: 'address.unfrozen',
        subject: 'address',
        id: `${chain}:${normalized}`,
      } as const;
      return act(deps, by, action, (within) => thawAddress(within)({ chain, address: normalized }));
    },
  };
}

function bookCapitalAt(parts: OperatorParts): OperatorDesk['bookCapital'] {
  const { deps } = parts;
  return async (by, { chain, asset, note, units }, formId) => {
    const on = chainHere(parts, chain);
    if (!on.ok) return on;
    const fault = noteFault('note', note);
    if (fault !== null) return err(fault);
    const order = { chain, asset, note, units: String(units) };
    const stored = await asking(chain, () =>
      orderWithin(deps)({
        by: requesterFrom(by),
        wanted: {
          ...{ kind: 'capital_booking', order, formId, sandbox: null },
          worth: async () => worthOf(parts, asset, units),
        },
        terms: { operatorLimitMicroUsd: parts.approvalAboveMicroUsd },
        begin: () => capitalBegun(parts, on.value, { asset, note, units }),
      }),
    );
    if (!stored.ok) return stored;
    return ordered(stored.value, (made) => ({
      ...{ asset, address: null, height: Number(textOf(made, 'height')), units, booked: true },
      ...{ expectedUnits: BigInt(textOf(made, 'expected_units')) },
      foundUnits: BigInt(textOf(made, 'found_units')),
    }));
  };
}

/**
 * Of a transaction, or of a difference. That is measured again: what was approved is the
 * difference, and another one is refused.
 */
export function capitalCarrier(parts: OperatorParts): Carrier {
  return {
    async begin({ order }) {
      const chain = textOf(order, 'chain');
      const on = parts.treasury.get(chain);
      if (on === undefined) return err(appError('NOT_FOUND', `There is no sender of ${chain} here.`));
      if (order.txid !== undefined)
        return ok(adoptionWithin(parts, on, { txid: textOf(order, 'txid'), note: textOf(order, 'note') }));
      const of = {
        asset: textOf(order, 'asset'),
        note: textOf(order, 'note'),
        units: BigInt(textOf(order, 'units')),
      };
      const begun = await asking(chain, () => capitalBegun(parts, on, of));
      if (begun.ok) return begun;
      const { message } = begun.error;
      return err(
        begun.error.code === 'CHAIN_UNAVAILABLE'
          ? appError('UNAVAILABLE', message)
          : (begun.error as AppError),
      );
    },
  };
}

interface Booking {
  readonly asset: string;
  readonly note: string;
  readonly units: bigint;
}

async function capitalBegun(
  { deps }: OperatorParts,
  on: TreasuryChain,
  booking: Booking,
): Promise<Result<Within, AppError>> {
  const measured = await measureWallet(deps, on)({ asset: booking.asset });
  return measured.ok ? ok(capitalWithin({ deps, on, booking, measured: measured.value })) : measured;
}

function capitalWithin(of: {
  deps: OperatorParts['deps'];
  on: TreasuryChain;
  booking: Booking;
  measured: MeasuredWallet;
}): Within {
  const { deps, on, measured, booking } = of;
  const { asset, note, units } = booking;
  return async (repositories, actor) => {
    const action = {
      action: 'capital.booked',
      subject: 'capital',
      id: `${on.chain}:${asset}`,
      note,
    } as const;
    const within = audited(joined(deps, repositories), actor, actionOf(action));
    const found = await bookMeasured(within, on)({ asset, note, dryRun: false }, measured);
    if (!found.ok) return found;
    if (found.value.units !== units || !found.value.booked)
      return err(appError('INVALID_TRANSITION', 'The difference is another one by now. Look again.'));
    const { height, expectedUnits, foundUnits } = found.value;
    return ok({
      ...{ height: String(height), expected_units: String(expectedUnits) },
      found_units: String(foundUnits),
    });
  };
}

async function treasuryOf(
  parts: OperatorParts,
  only: string | null,
): Promise<Result<readonly ChainTreasury[], DeskFault>> {
  const chosen = only === null ? null : chainHere(parts, only);
  if (chosen?.ok === false) return chosen;
  const chains = chosen === null ? [...parts.treasury.values()] : [chosen.value];
  return ok(await Promise.all(chains.map((on) => statusOf(parts, on))));
}

/** A chain without a working node does not hide the others. */
async function statusOf({ deps }: OperatorParts, on: TreasuryChain): Promise<ChainTreasury> {
  const { chain } = on;
  try {
    return { chain, status: await treasuryStatus(deps, on), unavailable: null };
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    return { chain, status: null, unavailable: error.message };
  }
}

/** Null when no node can tell. */
async function gasOf(parts: OperatorParts, transfer: OutgoingTransfer): Promise<GasForVoid | null> {
  const on = parts.treasury.get(transfer.chain);
  try {
    return on === undefined ? null : await gasForVoid(parts.deps, on, transfer);
  } catch (error) {
    if (error instanceof ChainUnavailable) return null;
    throw error;
  }
}
