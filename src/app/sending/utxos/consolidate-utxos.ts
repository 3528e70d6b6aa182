/**
 * Makes one UTXO of many small ones: while fees are low, since they would make payouts dear when
 * fees are high, and at any fee when a payout needs more UTXOs than fit into a transaction. The
 * largest are left to pay meanwhile.
 */
import type { Payout } from '../../../domain/payouts/payout-record.ts';
import type { OutgoingTransfer } from '../../../domain/sending/outgoing.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import type { UtxoSpending } from '../../../ports/sending/utxo-spending.ts';
import type { SendingChain, SendingNeeds } from '../sending-chain.ts';
import { CHOICE, spendableUtxos, spendOwn } from './claim-utxos.ts';

/** From so many free UTXOs on, they are consolidated when fees are low. */
const CONSOLIDATE_FROM = 100;
/** Between two consolidations: a refused one would be refused again. */
const CONSOLIDATE_EVERY_MS = 3_600_000;
/** The highest low fee, in satoshi for 1,000 virtual bytes. */
const LOW_FEE_RATE = 10_000n;

/**
 * Returns how many transfers were made: one, or none. `open`: all transfers of the chain that are
 * not settled. `short`: payouts that could not be paid in this run.
 */
export function utxoConsolidator(
  deps: SendingNeeds,
  on: SendingChain,
  utxos: UtxoSpending,
): (open: readonly OutgoingTransfer[], short: readonly Payout[]) => Promise<number> {
  let again = 0;

  return async (open, short) => {
    const now = deps.clock.now().getTime();
    if (now < again || open.some(({ purpose }) => purpose === 'consolidation')) return 0;
    const { free, freeUnits } = await deps.unitOfWork.run(async (repositories) => ({
      free: await spendableUtxos(repositories, on.chain, 2 * CHOICE),
      freeUnits: await freeUnitsOf(repositories, on.chain),
    }));
    if (free.length < CONSOLIDATE_FROM) return 0;
    const feeRate = await utxos.feeRate();
    const needsMore = ({ address: to, sentUnits: units }: Payout): boolean =>
      units <= freeUnits &&
      utxos.choose({ utxos: free.slice(0, CHOICE), payments: [{ to, units }], feeRate }) === null;
    if (feeRate > LOW_FEE_RATE && !(free.length > CHOICE && short.some(needsMore))) return 0;
    // Skips dust, which strangers may send: two such UTXOs are not worth the fee of consolidating.
    const worthIt = free.filter((utxo) => utxos.consolidate({ utxos: [utxo, utxo], feeRate }) !== null);
    const behind = Math.min(CHOICE, worthIt.length - CONSOLIDATE_FROM);
    if (behind < 0) return 0;
    const smaller = worthIt.slice(behind, behind + CHOICE);
    const plan = utxos.consolidate({ utxos: smaller, feeRate });
    if (plan === null) return 0;
    again = now + CONSOLIDATE_EVERY_MS;
    const id = deps.ids.id();
    await spendOwn(deps, on, id, { purpose: 'consolidation', referenceId: id, ...plan, utxos: smaller });
    return 1;
  };
}

async function freeUnitsOf(repositories: Repositories, chain: string): Promise<bigint> {
  const cursor = await repositories.chains.cursor(chain);
  return cursor === null ? 0n : repositories.utxos.freeUnits(chain, cursor.finalizedHeight);
}
