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
import { postCapital } from '../sending/capital-entry.ts';
import { hotWalletOf } from '../sending/sending-chain.ts';
import { runResult } from '../shared/transaction-result.ts';
import type { SweepNeeds, TreasuryChain } from '../sweeps/sweep-needs.ts';
import { bookCapital, type CapitalFound, type CapitalOrder } from './book-capital.ts';
import { type ReconcileNeeds, reconcileChain } from './reconcile-chain.ts';
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

/**
 * At most 1,000, of wallets and addresses; a ledger that is not the sum of the records is no
 * capital, and left out. Throws ChainUnavailable.
 */
export async function differencesOf(deps: ReconcileNeeds, on: TreasuryChain): Promise<readonly Difference[]> {
  const { chain, sender } = on;
  const asset = sender.nativeAsset;
  if (sender.utxos !== null) {
    const of = { chain, utxos: sender.utxos };
    const { missing } = await missingUtxos(deps, of, { most: UTXOS_MAX });
    const back = await unspentAgain(deps, of);
    return [
      ...missing.map((utxo) => ({ asset, address: utxo.address, units: -utxo.units, utxo })),
      ...back.map((utxo) => ({ asset, address: utxo.address, units: utxo.units, utxo })),
    ];
  }
  const { differences, unavailable } = await reconcileChain(deps, on, { height: null });
  if (unavailable !== null) throw new ChainUnavailable(unavailable);
  return differences.flatMap(({ address, asset, foundUnits, expectedUnits }) => {
    if (address === null) return [];
    const place = address === hotWalletOf(on) ? null : address;
    return { asset, address: place, units: foundUnits - expectedUnits, utxo: null };
  });
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

async function bookUtxo(
  deps: SweepNeeds,
  { chain, asset, utxos }: { chain: string; asset: string; utxos: UtxoSpending },
  { utxo, note, dryRun }: { utxo: Utxo } & Pick<CapitalOrder, 'note' | 'dryRun'>,
): Promise<Result<CapitalFound, AppError>> {
  const cursor = await deps.unitOfWork.run((repositories) => repositories.chains.cursor(chain));
  if (cursor === null) return err(appError('INVALID_TRANSITION', `No block of ${chain} was read yet.`));
  const { height, hash, finalizedHeight: finalHeight } = cursor;
  const [isThere = false] = await utxos.unspent([utxo], height);
  const { txid, vout, address } = utxo;
  return runResult<CapitalFound, AppError>(deps.unitOfWork, async (repositories) => {
    const units = isThere ? utxo.units : -utxo.units;
    const found = {
      ...{ asset, address, height, units },
      ...(isThere
        ? { expectedUnits: 0n, foundUnits: utxo.units }
        : { expectedUnits: utxo.units, foundUnits: 0n }),
    };
    if (dryRun) return ok({ ...found, booked: false });
    const mark = isThere ? ({ isSpent: false } as const) : ({ isSpent: true, finalHeight } as const);
    if ((await repositories.utxos.markSpentOutside(chain, { txid, vout }, mark)) === null)
      return err(
        appError(
          'INVALID_TRANSITION',
          `${outpointText(utxo)} is not final, belongs to a payment that is being prepared, or is booked already. Wait a minute and look again.`,
        ),
      );
    await postCapital(deps, repositories, {
      ...{ chain, asset, address: null, units, block: { height, hash }, coin: { txid, vout } },
      note:
        note === ''
          ? `${isThere ? 'unspent again' : 'spent without the gateway'}: ${outpointText(utxo)}`
          : note,
    });
    return ok({ ...found, booked: true });
  });
}
