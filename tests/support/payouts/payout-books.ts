/** What the contracts of a PayoutWriter do to its storage and look up in it. */
import { expect } from 'bun:test';
import { availableMicroUsd, income } from '../../../src/domain/ledger.ts';
import type { PayoutOutcome } from '../../../src/domain/payouts/payout-acceptance.ts';
import type { Payout } from '../../../src/domain/payouts/payout-record.ts';
import type { Queries, Scope } from '../../../src/ports/list-queries.ts';
import type { OperatorQueries } from '../../../src/ports/operator-queries.ts';
import type { PayoutRequest, PayoutWriter } from '../../../src/ports/payouts/payout-writer.ts';
import type { Opened, Storage } from '../../contracts/opened.ts';
import { anEntry, anId, anInvoice, anIssuedAddress } from '../builders.ts';

export interface OpenedPayoutWriter extends Opened {
  /** Two of them, as two instances of the service would be. */
  readonly payoutIntakes: readonly [PayoutWriter, PayoutWriter];
  readonly queries: Queries;
  readonly operatorQueries: OperatorQueries;
}

const ALL = { asset: null, ids: null, from: null, to: null };

export function payoutBooks(storage: Storage<OpenedPayoutWriter>) {
  const add = (request: PayoutRequest, instance: 0 | 1 = 0) =>
    storage.ports().payoutIntakes[instance].add(request);
  const booksAreRight = async () =>
    expect(await storage.ports().operatorQueries.reconciliationFaults()).toEqual([]);

  /** A merchant whose sandbox has this much. */
  async function funded(microUsd: bigint): Promise<Scope> {
    const { id: merchantId } = await storage.merchant();
    if (microUsd > 0n) await fund({ merchantId, sandbox: true }, microUsd);
    return { merchantId, sandbox: true };
  }
  const fund = (scope: Scope, microUsd: bigint) =>
    storage.run((r) => {
      const asset = 'usdt_ethereum';
      const referenceId = anId();
      const value = { asset, creditedUnits: microUsd, feeUnits: 0n };
      return r.ledger.post(
        anEntry({
          ...scope,
          kind: 'income',
          referenceId,
          postings: income({ ...value, receivedMicroUsd: microUsd, creditedMicroUsd: microUsd }),
          feed: {
            type: 'income',
            asset,
            amountUnits: microUsd,
            feeUnits: 0n,
            currency: 'USD',
            microUsd,
            referenceId,
          },
        }),
      );
    });
  /**
   * An address of an invoice: of a merchant's in this environment, else of some merchant's live
   * one.
   */
  async function givenOut(to?: Scope): Promise<{ family: string; address: string }> {
    const scope = to ?? { merchantId: (await storage.merchant()).id, sandbox: false };
    const invoice = anInvoice({ ...scope });
    const issued = anIssuedAddress({ ...scope, invoiceId: invoice.id });
    await storage.run(async (r) => {
      await r.invoices.insert(invoice);
      await r.addresses.insert(issued);
    });
    return { family: issued.family, address: issued.address };
  }
  const available = async (scope: Scope) => availableMicroUsd(await storage.ports().queries.balance(scope));
  async function listed(scope: Scope): Promise<readonly Payout[]> {
    const rows: Payout[] = [];
    for (let page = 1; ; page++) {
      const found = await storage
        .ports()
        .queries.payouts(scope, ALL, { by: 'created_at', order: 'asc' }, { page, perPage: 100 });
      rows.push(...found.rows);
      if (found.rows.length === 0) {
        expect(rows).toHaveLength(found.total);
        return rows;
      }
    }
  }
  return { add, booksAreRight, funded, fund, givenOut, available, listed };
}

/** Of a request that used its X-Uniq-Id up. */
export function decided(...kinds: ('accepted' | 'own_address' | 'refused')[]): PayoutOutcome {
  return { kind: 'decided', usesUniqId: kinds.includes('accepted'), items: kinds.map((kind) => ({ kind })) };
}

/** Of a single payout that the balance did not cover. */
export function refusedFor(available: bigint): PayoutOutcome {
  return {
    kind: 'decided',
    usesUniqId: false,
    items: [{ kind: 'insufficient', availableMicroUsd: available }],
  };
}
