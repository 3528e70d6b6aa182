/**
 * Each way the books can disagree is found and named. They are broken behind the back of every rule
 * that allows it.
 */
import { describe, expect, test } from 'bun:test';
import type { Repositories } from '../../../src/ports/repositories.ts';
import type { ReconciliationFault } from '../../../src/ports/treasury/book-checks.ts';
import { aMerchant } from '../../support/builders.ts';
import { type Booked, booked } from '../../support/ledger/booked.ts';
import { LEDGER_DAMAGES, NUMBERING_DAMAGES } from '../../support/ledger/ledger-damages.ts';
import { CHANGED, type Damage, type RawRows, SUMS } from '../../support/ledger/raw-rows.ts';
import { PAYOUT_DAMAGES, TRANSFER_DAMAGES } from '../../support/ledger/sending-damages.ts';
import { type Opened, openedFor } from '../opened.ts';

export interface OpenedBooks extends Opened {
  readonly raw: RawRows;
  /** Whether sums of days are kept beside the books, so that tampering with entries shows there. */
  readonly keepsSums: boolean;
  faults(): Promise<readonly ReconciliationFault[]>;
  /** Afterwards the books are as new. */
  empty(): Promise<void>;
}

export const DAMAGES: readonly Damage[] = [
  ...LEDGER_DAMAGES,
  ...PAYOUT_DAMAGES,
  ...TRANSFER_DAMAGES,
  ...NUMBERING_DAMAGES,
];

/** A merchant with the world of `booked`, and nothing else. */
export async function freshBooks(opened: Pick<OpenedBooks, 'unitOfWork' | 'empty'>): Promise<Booked> {
  await opened.empty();
  return opened.unitOfWork.run(async (repositories: Repositories) => {
    const merchant = aMerchant();
    await repositories.merchants.insert(merchant);
    return booked(repositories, merchant.id);
  });
}

export function describeReconciliation(name: string, open: () => Promise<OpenedBooks>): void {
  describe(`${name}: reconciliation`, () => {
    const storage = openedFor(open);

    test.each(DAMAGES)('%s', async (_name, damage, checks) => {
      const { raw, keepsSums, faults, ...opened } = storage.ports();
      const world = await freshBooks(opened);
      expect(await faults()).toEqual([]);
      await damage(raw, world);
      const noticed = new Set((await faults()).map(({ check }) => check));
      // Sums that were verified before also differ, where they are kept.
      noticed.delete(CHANGED);
      expect([...noticed].sort()).toEqual(checks.filter((check) => keepsSums || check !== SUMS).sort());
    });
  });
}
