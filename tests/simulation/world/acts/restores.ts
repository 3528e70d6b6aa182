/** Backups, restores, and what operators do after one (docs/operations/backup.md). */

import type { AppDependencies } from '../../../../src/app/dependencies.ts';
import { payoutPaidBy } from '../../../../src/app/payouts/record-paid.ts';
import { perhapsPaidBy, unknownBeside } from '../../../../src/app/payouts/unknown-payments.ts';
import { releasePayout } from '../../../../src/app/sending/operate-payouts.ts';
import { bookCapital } from '../../../../src/app/treasury/book-capital.ts';
import { bookDifference, differencesOf } from '../../../../src/app/treasury/book-differences.ts';
import { treasuryChains } from '../../../../src/compose/treasury.ts';
import type { Payout } from '../../../../src/domain/payouts/payout-record.ts';
import type { WatchList } from '../../../../src/ports/chains/watch-list.ts';
import { type Act, pick, type Stage } from './stage.ts';

const ROUNDS_OF_MEMPOOLS = 10;

const takeBackup: Act = {
  name: 'take a backup',
  weight: 7,
  needs: 'restores',
  isFault: true,
  async run(stage) {
    await stage.backups.take();
    stage.tell('operator', 'takes a backup');
  },
};

const putBackupBack: Act = {
  name: 'put the backup back',
  weight: 5,
  needs: 'restores',
  isFault: true,
  run: (stage) => stage.backups.putBack(),
};

const decideHeld: Act = {
  name: 'decide about a payout that may have been paid',
  weight: 5,
  needs: 'restores',
  async run(stage) {
    const id = pick(stage, await stage.idsOf('restored payouts'));
    if (id !== undefined) decideRestored(stage, id);
  },
};

/** What operators do at rest. Nodes forget what could not be mined for long. */
export async function settleRestored(stage: Stage, round: number): Promise<void> {
  const { chains, backups } = stage;
  if (backups.restores === 0) return;
  if (round > ROUNDS_OF_MEMPOOLS)
    for (const { control } of chains.values())
      for (const txid of control.waiting()) if (backups.lost.txids.has(txid)) control.drop(txid);
  for (const id of await stage.idsOf('restored payouts')) decideRestored(stage, id);
}

/** With the transaction that paid it; released once it is sure that none did or will. */
function decideRestored(stage: Stage, id: string): void {
  const { dependencies } = stage.api().service;
  stage.order(`decides about ${id}, which may have been paid`, async () => {
    const payout = await dependencies.unitOfWork.run(({ payouts }) => payouts.find(id));
    if (payout === null || payout.held === null) return;
    const unknown = await unknownBeside(dependencies, [payout]);
    for (const txid of perhapsPaidBy(dependencies, payout, unknown))
      if ((await payoutPaidBy(dependencies)(id, txid)).ok) return;
    if (!(await mayYetBePaid(stage, dependencies, payout))) await releasePayout(dependencies)(id);
  });
}

const ALL = { known: async (addresses: readonly string[]) => new Set(addresses) } as unknown as WatchList;

/**
 * Whether an explorer shows a lost transaction that pays it and waits for a block, or is in one
 * that this service has not read as final.
 */
async function mayYetBePaid(
  { chains, backups: { lost } }: Stage,
  { catalog, liveDerivers, unitOfWork }: AppDependencies,
  { asset, address, sentUnits }: Payout,
): Promise<boolean> {
  const { chain, family } = catalog.require(asset);
  const to = liveDerivers.get(family)?.normalize(address) ?? address;
  const { scanner, control } = chains.get(chain)!;
  const cursor = await unitOfWork.run((repositories) => repositories.chains.cursor(chain));
  const finalHeight = cursor?.finalizedHeight ?? -1;
  const pays = (transfer: { txid: string; to: string; asset: string; units: bigint }): boolean =>
    lost.txids.has(transfer.txid) &&
    transfer.to === to &&
    transfer.asset === asset &&
    transfer.units === sentUnits;
  return (
    ((await scanner.pending(ALL)) ?? []).some(pays) ||
    control.received(address).some((transfer) => pays(transfer) && transfer.height > finalHeight)
  );
}

const bookUnknown: Act = {
  name: 'book what unknown transactions moved',
  weight: 1,
  needs: 'restores',
  run(stage) {
    return bookRestored(stage);
  },
};

/** Only where the chain has transactions that the books lost: elsewhere all is known. */
export async function bookRestored(stage: Stage): Promise<void> {
  const { chains, dependencies } = stage.api().service;
  for (const [chain, treasury] of treasuryChains(chains, dependencies)) {
    if (!(await hasLostTransactions(stage, chain))) continue;
    stage.order(`books the differences of ${chain} after a restore`, async () => {
      const how = { note: 'after a restore', dryRun: false };
      const book = bookDifference(dependencies, treasury);
      const { found } = await differencesOf(dependencies, treasury);
      for (const difference of found) {
        const booked = await book(difference, how);
        // Every payment of a history is recorded at rest: what is above the books came back.
        if (!booked.ok && difference.units > 0n && difference.utxo === null)
          await bookCapital(dependencies, treasury)({ ...difference, ...how, takesBack: true });
      }
    });
  }
}

async function hasLostTransactions(
  { chains, backups }: Pick<Stage, 'chains' | 'backups'>,
  chain: string,
): Promise<boolean> {
  const { scanner } = chains.get(chain)!;
  for (const txid of backups.lost.txids) if ((await scanner.lookup(txid)).state === 'mined') return true;
  return false;
}

export const RESTORES: readonly Act[] = [takeBackup, putBackupBack, decideHeld, bookUnknown];
