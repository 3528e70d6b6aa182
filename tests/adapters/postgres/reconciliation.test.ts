/**
 * Each way the books can disagree is found and named. They are broken behind the back of every
 * trigger and CHECK that allows it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { reconciliationFaults } from '../../../src/adapters/postgres/treasury/reconciliation.ts';
import { postgresUnitOfWork } from '../../../src/adapters/postgres/unit-of-work.ts';
import type { FailureCode } from '../../../src/domain/sending/outgoing-failure.ts';
import { aMerchant } from '../../support/builders.ts';
import { type Booked, booked } from '../../support/ledger/booked.ts';
import { postgresAvailable, type TestDatabase, testDatabase } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

/** What tampering with entries also shows: triggers keep sums of them. */
const SUMS = 'sums of days equal the ledger and the invoices';

const RESET = `truncate merchants, counters, balances, invoices, addresses, deposits, ledger_entries, ledger_postings,
  payouts, outgoing_transfers, signed_transactions, sweeps, capital_bookings, webhook_attempts, webhook_queue, webhook_deliveries cascade`;

describe.skipIf(!needs('postgres', postgresAvailable()))('postgres reconciliation', () => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await testDatabase();
  }, 120_000);
  afterAll(() => opened.drop());

  /** Breaks fresh books with `damage` and answers the checks that noticed. */
  async function noticedBy(damage: (world: Booked) => string): Promise<string[]> {
    const { database } = opened;
    await database.script(RESET);
    const merchant = aMerchant();
    const world = await postgresUnitOfWork(database).run(async (repositories) => {
      await repositories.merchants.insert(merchant);
      return booked(repositories, merchant.id);
    });
    expect(await reconciliationFaults(database)).toEqual([]);
    await database.script(`set session_replication_role = replica; ${damage(world)}`);
    const faults = await reconciliationFaults(database);
    return [...new Set(faults.map((fault) => fault.check))];
  }

  const feeForNothing = ({ transfer, settled }: Booked, code: FailureCode) => `
    update outgoing_transfers set status = 'failed', failure = 'x', failure_code = '${code}' where id = '${transfer.id}';
    update payouts set wasted_fee_micro_usd = 84 where id = '${settled.id}'`;

  const DAMAGES: readonly [string, (world: Booked) => string, string[]][] = [
    [
      'a count of a list that was changed',
      () => 'insert into list_count_changes select * from list_count_changes limit 1',
      ['counts of lists equal the lists'],
    ],
    [
      'a sum of a day that was changed',
      () =>
        `insert into day_figure_changes select * from day_figure_changes where figure = 'received' limit 1`,
      [SUMS],
    ],
    [
      'an invoice of a day that is counted twice',
      () =>
        `insert into day_figure_changes select * from day_figure_changes where figure = 'invoices' limit 1`,
      [SUMS],
    ],
    [
      'a posting that was changed',
      () => `update ledger_postings set amount = amount + 1 where account = 'fees'`,
      ['ledger entry balances', SUMS],
    ],
    [
      'a posting that was lowered',
      () => `update ledger_postings set amount = amount - 1 where account = 'fees'`,
      ['ledger entry balances', SUMS],
    ],
    [
      'an entry whose postings are gone',
      ({ failed }) => `delete from ledger_postings where entry_id in
        (select id from ledger_entries where reference_id = '${failed.id}' and kind = 'payout_released')`,
      ['ledger entry has postings', 'balance equals the postings to the merchant', SUMS],
    ],
    [
      'a balance that was raised',
      () => 'update balances set income_micro_usd = income_micro_usd + 1 where not sandbox',
      ['balance equals the postings to the merchant'],
    ],
    [
      'an invoice with more money than its deposits',
      ({ invoice }) => `update invoices set credited_units = credited_units - 1 where id = '${invoice.id}'`,
      ['invoice funds equal its deposits', 'invoice status follows its funds'],
    ],
    [
      'an invoice that was accepted with more than it has',
      ({ invoice }) => `update invoices set due_units = due_units * 2, base_units = base_units * 2,
        accepted_units = credited_units + 1 where id = '${invoice.id}'`,
      ['invoice status follows its funds'],
    ],
    [
      'an invoice whose status its money does not support',
      ({ invoice }) => `update invoices set status = 'paid_over' where id = '${invoice.id}'`,
      ['invoice status follows its funds'],
    ],
    [
      'a deposit that was called credited without its entry',
      ({ stray }) => `update deposits set status = 'credited' where id = '${stray.id}'`,
      ['deposit has its entries'],
    ],
    [
      'a deposit that left and whose entries still stand',
      ({ stray }) => `update deposits set status = 'reversed', block_height = null, block_hash = null
        where id = '${stray.id}'`,
      ['entry has its deposit', 'treasury holds what arrived and was not paid out'],
    ],
    [
      'a credit without any deposit',
      ({ credited }) =>
        `update ledger_entries set deposit_id = null where deposit_id = '${credited.id}' and kind = 'income'`,
      ['deposit has its entries', 'entry has its deposit'],
    ],
    [
      'a deposit whose amount was changed',
      ({ stray }) => `update deposits set units = units + 1 where id = '${stray.id}'`,
      ['entry posts the units of its deposit', 'treasury holds what arrived and was not paid out'],
    ],
    [
      'a payout that ended without its entry',
      ({ failed }) => `update payouts set status = 'pending', failure = null, processed_at = null
        where id = '${failed.id}'`,
      ['payout has its entries'],
    ],
    [
      'a payout that was called paid',
      ({ failed }) => `update payouts set status = 'success', failure = null, txid = 'x', tx_hashes = '{x}'
        where id = '${failed.id}'`,
      ['payout has its entries', 'treasury holds what arrived and was not paid out'],
    ],
    [
      'a payout that was paid and called failed',
      ({ settled }) => `update payouts set status = 'failed', failure = 'x' where id = '${settled.id}'`,
      [
        'payout has its entries',
        'transfer does what its payout says',
        'treasury holds what arrived and was not paid out',
      ],
    ],
    [
      'entries of a payout that is gone',
      ({ failed }) => `delete from payouts where id = '${failed.id}'`,
      ['entry has its payout', 'payouts are numbered without gaps'],
    ],
    [
      'a refund whose entry is of another kind',
      ({ refund }) => `update ledger_entries set kind = 'payout_settled'
        where reference_id = '${refund.id}' and kind = 'refund_settled'`,
      ['entry has its payout', SUMS],
    ],
    [
      'a payout that sent another amount',
      ({ refund }) => `update payouts set sent_units = sent_units - 1 where id = '${refund.id}'`,
      ['payment posts what its payout sent', 'treasury holds what arrived and was not paid out'],
    ],
    [
      'a payment that was booked in another asset',
      ({
        refund,
      }) => `update ledger_postings set currency = 'usdc_ethereum' where currency <> 'USD' and entry_id in
        (select id from ledger_entries where reference_id = '${refund.id}')`,
      ['payment posts what its payout sent', 'treasury holds what arrived and was not paid out'],
    ],
    [
      'a released reserve that is not marked',
      ({ failed }) => `update ledger_entries set reversed_by = null where reference_id = '${failed.id}'`,
      ['what was taken back is marked so, and nothing else'],
    ],
    [
      'a reserve that is marked as taken back and was not',
      ({ settled, failed }) => `update ledger_entries set reversed_by =
          (select id from ledger_entries where reference_id = '${failed.id}' and kind = 'payout_released')
        where reference_id = '${settled.id}' and kind = 'payout_reserved'`,
      ['what was taken back is marked so, and nothing else'],
    ],
    [
      'a refunded invoice that is not',
      ({ refund }) => `update invoices set status = 'success', credited_units = 10100000
        where id = '${refund.invoiceId}'`,
      ['refunded invoice has its refund'],
    ],
    [
      'an invoice that was called refunded',
      ({ invoice }) => `update invoices set status = 'refunded' where id = '${invoice.id}'`,
      ['refunded invoice has its refund'],
    ],
    [
      'a refund that was taken back from the merchant and whose payout stands',
      ({ refund }) => `delete from ledger_postings where entry_id in
          (select id from ledger_entries where reference_id = '${refund.id}' and kind = 'refund');
        delete from ledger_entries where reference_id = '${refund.id}' and kind = 'refund'`,
      ['balance equals the postings to the merchant', 'payout has its entries', SUMS],
    ],
    [
      'a transfer to another address',
      ({ transfer }) => `update outgoing_transfers set to_address = 'elsewhere' where id = '${transfer.id}'`,
      ['transfer does what its payout says'],
    ],
    [
      'a confirmed transfer that nobody signed',
      ({ transfer }) => `delete from signed_transactions where bundle_id = '${transfer.id}'`,
      ['transfer status follows what was signed'],
    ],
    [
      'a transfer that was settled by a transaction of somebody else',
      ({ transfer }) => `update signed_transactions set txid = 'another' where bundle_id = '${transfer.id}'`,
      ['transfer status follows what was signed'],
    ],
    [
      'a payout that says that its fee was charged for nothing, which it was not',
      ({ failed }) => `update payouts set wasted_fee_micro_usd = 84 where id = '${failed.id}'`,
      [
        'wasted fee of a payout is what the network took',
        'wasted fee of a payout is what was charged for it',
      ],
    ],
    [
      'a fee for nothing that the merchant bears, though our own wallet could not pay',
      (world) => feeForNothing(world, 'unfunded'),
      [
        'wasted fee of a payout is what the network took',
        'wasted fee of a payout is what was charged for it',
      ],
    ],
    [
      'a fee for nothing that the merchant bears, without an entry',
      (world) => feeForNothing(world, 'reverted'),
      ['wasted fee of a payout is what was charged for it'],
    ],
    [
      'a network fee that was changed',
      ({ transfer }) => `update outgoing_transfers set fee_units = 1 where id = '${transfer.id}'`,
      ['network fee has its entry'],
    ],
    [
      'a network fee that nobody paid',
      ({ transfer }) =>
        `update ledger_entries set reference_id = 'nothing' where reference_id = '${transfer.id}'`,
      ['network fee has its entry'],
    ],
    [
      'a network fee in the coin of another chain',
      () => `update ledger_postings set currency = 'eth_base' where currency = 'eth_ethereum'`,
      ['network fee has its entry'],
    ],
    [
      'money of the treasury that is called capital',
      ({ stray }) => `update ledger_entries set kind = 'capital', merchant_id = null
        where deposit_id = '${stray.id}'`,
      [
        'capital is what was booked',
        'deposit has its entries',
        'treasury holds what arrived and was not paid out',
      ],
    ],
    [
      'a payout whose reserve is another amount',
      ({ settled }) => `update payouts set reserved_micro_usd = 1 where id = '${settled.id}'`,
      ['reserve equals what the payout took'],
    ],
    [
      'a hole in a list',
      () => 'update invoices set seq = 7 where seq = 2',
      ['invoices are numbered without gaps'],
    ],
    [
      'a list whose times run backwards',
      () => `update payouts set created_at = created_at - interval '1 day' where seq = 2`,
      ['payouts are numbered without gaps'],
    ],
    [
      'a feed that lost an entry',
      () => `update counters set value = value + 1 where stream = 'ledger' and not sandbox`,
      ['the ledger feed is numbered without gaps'],
    ],
    [
      'an event that is gone',
      () => `update counters set value = value + 1 where stream = 'events' and not sandbox`,
      ['events are numbered without gaps'],
    ],
  ];

  test.each(DAMAGES)('%s', async (_name, damage, checks) => {
    expect((await noticedBy(damage)).sort()).toEqual(checks.toSorted());
  });
});
