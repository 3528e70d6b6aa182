/**
 * Money that came to a hot wallet without a tag of ours (XRP): given to the address that it was
 * meant for, or booked as the operator's own. The second may need another operator, as every
 * booking of owner funding: the money may be a customer's.
 */
import type { AppError } from '../../../domain/errors.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import { audited } from '../../audit/audited.ts';
import { noteFault } from '../../audit/note-fault.ts';
import { joined } from '../../shared/joined.ts';
import type { TreasuryChain } from '../../sweeps/sweep-needs.ts';
import { assignFunding } from '../../treasury/assign-funding.ts';
import { bookAsOwnerFunding, lockParked, notParked } from '../../treasury/pooled-funding.ts';
import type { Within } from '../approvals/carry-out.ts';
import { orderWithin } from '../approvals/order-within.ts';
import { ordered } from '../approvals/ordered.ts';
import type { OperatorDesk } from '../operator-desk.ts';
import { act, actionOf, chainHere, type OperatorParts, requesterFrom, worthOf } from './seat-parts.ts';

type FundingActions = Pick<OperatorDesk, 'unbookedFunding' | 'assignFunding' | 'adoptFunding'>;

interface Adoption {
  readonly txid: string;
  readonly note: string;
}

export function fundingActions(parts: OperatorParts): FundingActions {
  const { deps } = parts;
  return {
    async unbookedFunding(limit) {
      const pooled = [...parts.treasury.values()].filter(({ sender }) => sender.capabilities.pooled);
      const assets = new Map(pooled.map(({ chain, sender }) => [chain, sender.nativeAsset]));
      if (pooled.length === 0) return [];
      const found = await deps.treasuryQueries.unbookedFunding([...assets.keys()], limit);
      return found.map((row) => ({ ...row, asset: assets.get(row.chain) ?? '' }));
    },

    async assignFunding(by, { chain, txid, address }) {
      const on = chainHere(parts, chain);
      if (!on.ok) return on;
      const action = {
        action: 'deposit.assigned',
        subject: 'deposit',
        ...{ id: `${chain}:${txid}`, note: address },
      } as const;
      return act(deps, by, action, (within) => assignFunding(within, on.value)({ txid, address }));
    },

    async adoptFunding(by, { chain, txid, note }, formId) {
      const on = chainHere(parts, chain);
      if (!on.ok) return on;
      const fault = noteFault('note', note);
      if (fault !== null) return err(fault);
      const stored = await orderWithin(deps)({
        by: requesterFrom(by),
        wanted: {
          ...{ kind: 'capital_booking', order: { chain, txid, note }, formId, sandbox: null },
          worth: (repositories) => worthOfParked(parts, repositories, on.value, txid),
        },
        terms: { operatorLimitMicroUsd: parts.approvalAboveMicroUsd },
        begin: async () => ok(adoptionWithin(parts, on.value, { txid, note })),
      });
      return stored.ok ? ordered(stored.value, () => ({ txid })) : stored;
    },
  };
}

async function worthOfParked(
  parts: OperatorParts,
  repositories: Repositories,
  { chain, sender }: TreasuryChain,
  txid: string,
): Promise<Result<bigint | null, AppError>> {
  const parked = await lockParked(repositories, chain, txid);
  if (parked.length === 0) return err(notParked(chain, txid));
  const units = parked.reduce((sum, part) => sum + part.units, 0n);
  return worthOf(parts, sender.nativeAsset, units);
}

export function adoptionWithin({ deps }: OperatorParts, on: TreasuryChain, { txid, note }: Adoption): Within {
  const id = `${on.chain}:${on.sender.nativeAsset}`;
  return async (repositories, actor) => {
    const action = { action: 'capital.adopted', subject: 'capital', id, note: txid } as const;
    const within = audited(joined(deps, repositories), actor, actionOf(action));
    const adopted = await bookAsOwnerFunding(within, on)({ txid, note });
    return adopted.ok ? ok({ txid }) : adopted;
  };
}
