/**
 * Books what reconciliation shows of a chain as the operator's capital: after a restore, what the
 * lost transactions moved. Balances are measured again for each booking (book-capital.ts). On UTXO
 * chains each UTXO that the chain lacks is booked out, and one that it has again is taken back.
 */
import { outpointText } from '../../domain/chains/outpoint.ts';
import { type AppError, appError } from '../../domain/errors.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { ChainUnavailable } from '../../ports/chains/chain-scanner.ts';
import type { Utxo, UtxoSpending } from '../../ports/sending/utxo-spending.ts';
import { hotWalletOf } from '../sending/sending-chain.ts';
import { postCapital } from '../shared/capital-entry.ts';
import { runResult } from '../shared/transaction-result.ts';
import type { SweepNeeds, TreasuryChain } from '../sweeps/sweep-needs.ts';
import { bookCapital, type CapitalFound, type CapitalOrder } from './book-capital.ts';
import {
  booksOf,
  type ChainDifference,
  type ReconcileNeeds,
  reconcileChain,
  type UnreadableAsset,
} from './reconcile-chain.ts';
import { missingUtxos, unspentAgain } from './reconcile-utxos.ts';

/** UTXOs in one run: the next one goes on. */
const UTXOS_MAX = 1_000;

/** One difference between the chain and the books, which may be booked or be refused. */
export interface Difference {
  readonly asset: string;
  /** Normalized; null for the hot wallet of an account chain. */
  readonly address: string | null;
  /** On the chain less in the books. */
  readonly units: bigint;
  /** UTXO chains: which; null elsewhere. */
  readonly utxo: Utxo | null;
}

/** What a comparison showed, and what it cannot say or nobody can book. */
export interface Differences {
  /** At most 1,000, of wallets and addresses. */
  readonly found: readonly Difference[];
  /** A ledger that is not the sum of its records: no capital, but a fault of the program. */
  readonly ledger: readonly ChainDifference[];
  /** Tokens that were not compared, or not everywhere. */
  readonly unreadable: readonly UnreadableAsset[];
}

/** Throws ChainUnavailable. */
export async function differencesOf(deps: ReconcileNeeds, on: TreasuryChain): Promise<Differences> {
  const { chain, sender } = on;
  const asset = sender.nativeAsset;
  if (sender.utxos !== null) {
    const of = { chain, utxos: sender.utxos };
    const { wrong: ledger } = await booksOf(deps, on);
    const { missing } = await missingUtxos(deps, of, { most: UTXOS_MAX });
    const back = await unspentAgain(deps, of);
    const found = [
      ...missing.map((utxo) => ({ asset, address: utxo.address, units: -utxo.units, utxo })),
      ...back.map((utxo) => ({ asset, address: utxo.address, units: utxo.units, utxo })),
    ];
    return { found, ledger, unreadable: [] };
  }
  const { differences, unavailable, unreadable } = await reconcileChain(deps, on, { height: null });
  if (unavailable !== null) throw new ChainUnavailable(unavailable);
  const found = differences.flatMap(({ address, asset, foundUnits, expectedUnits }) => {
    if (address === null) return [];
    const place = address === hotWalletOf(on) ? null : address;
    return { asset, address: place, units: foundUnits - expectedUnits, utxo: null };
  });
  return { found, ledger: differences.filter(({ kind }) => kind === 'ledger'), unreadable };
}

/** Throws ChainUnavailable. */
export function bookDifference(deps: SweepNeeds, on: TreasuryChain) {
  const book = bookCapital(deps, on);
  return (
    { asset, address, utxo }: Difference,
    how: Pick<CapitalOrder, 'note' | 'dryRun'>,
  ): Promise<Result<CapitalFound, AppError>> => {
    const { chain, sender } = on;
    return utxo === null || sender.utxos === null
      ? book({ asset, address, ...how })
      : bookUtxo(deps, { chain, asset, utxos: sender.utxos }, { utxo, ...how });
  };
}

/**
 * Books only what every node that answers says, and books out only what a final block may have
 * spent: the newest transaction of the wallet that the books lack must be final. A node that is
 * ahead of what was read can still show what a later block spent: if that block goes, the UTXO is a
 * difference again, and taken back.
 */
async function bookUtxo(
  deps: SweepNeeds,
  { chain, asset, utxos }: { chain: string; asset: string; utxos: UtxoSpending },
  { utxo, note, dryRun }: { utxo: Utxo } & Pick<CapitalOrder, 'note' | 'dryRun'>,
): Promise<Result<CapitalFound, AppError>> {
  const { cursor, newest } = await deps.unitOfWork.run(async ({ chains, unknown }) => ({
    cursor: await chains.cursor(chain),
    newest: await unknown.newestBlock(chain),
  }));
  if (cursor === null) return refused(`No block of ${chain} was read yet.`);
  const { height, hash, finalizedHeight: finalHeight } = cursor;
  const [isThere = null] = await utxos.unspentAtAll([utxo], height);
  if (isThere === null) return refused(`The nodes do not agree whether ${outpointText(utxo)} is spent.`);
  if (!isThere && (newest === null || newest > finalHeight))
    return refused(`What spent ${outpointText(utxo)} is not final. Wait for some blocks and look again.`);
  const units = isThere ? utxo.units : -utxo.units;
  const found = {
    ...{ asset, address: utxo.address, height, units },
    ...(isThere
      ? { expectedUnits: 0n, foundUnits: utxo.units }
      : { expectedUnits: utxo.units, foundUnits: 0n }),
  };
  const mark = isThere
    ? ({ isSpent: false, inBlock: true } as const)
    : ({ isSpent: true, finalHeight } as const);
  const booked = await runResult<CapitalFound, AppError | TriedOnly>(
    deps.unitOfWork,
    async (repositories) => {
      if ((await repositories.utxos.markSpentOutside(chain, utxo, mark)) === null)
        return refused(
          `${outpointText(utxo)} is not final, belongs to a payment that is being prepared, or is booked already. Wait a minute and look again.`,
        );
      if (dryRun) return err({ code: 'tried_only' });
      await postCapital(deps, repositories, {
        ...{ chain, asset, address: null, units, block: { height, hash }, coin: utxo },
        note:
          note === ''
            ? `${isThere ? 'unspent again' : 'spent without the gateway'}: ${outpointText(utxo)}`
            : note,
      });
      return ok({ ...found, booked: true });
    },
  );
  if (booked.ok) return booked;
  const { error } = booked;
  return error.code === 'tried_only' ? ok({ ...found, booked: false }) : err(error);
}

/** Rolls back what a dry run did to see whether it is refused. */
interface TriedOnly {
  readonly code: 'tried_only';
}

function refused(message: string): Result<never, AppError> {
  return err(appError('INVALID_TRANSITION', message));
}
