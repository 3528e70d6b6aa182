/** Migration 0027: what was told in sentences is told in codes. Every row keeps its place, and the words that nothing else says. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { migrate } from '../../../../src/adapters/postgres/client/migrate.ts';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import type { StrayReason } from '../../../../src/domain/deposits/stray-reason.ts';
import type { Merchant } from '../../../../src/domain/merchants/merchant.ts';
import type { FailureCode } from '../../../../src/domain/sending/outgoing-failure.ts';
import type { SweepReason } from '../../../../src/domain/sweeps/sweep-reason.ts';
import { aDeposit, anId } from '../../../support/builders.ts';
import { anOutgoing } from '../../../support/payouts/outgoing-builders.ts';
import { MIGRATIONS, merchantOfThen, migratedBefore } from '../../../support/postgres/migrated-before.ts';
import { postgresAvailable, type TestDatabase } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';

const CODES = '0027_codes_of_reasons';

/** The sentences as they were then, whatever words there are today. */
const STRAYS: readonly (readonly [string, StrayReason])[] = [
  ['its address belongs to no invoice', 'no_invoice'],
  ['its invoice did not take payments any more', 'invoice_closed'],
  ['under 2 USD when its invoice ended', 'invoice_ended'],
  ['another asset than the invoice asked for', 'other_asset'],
  ['under 2 USD for an earlier choice of its invoice', 'below_minimum_for_earlier_choice'],
  ['its permanent address is deactivated', 'permanent_address_inactive'],
  ['under 2 USD at a permanent address', 'below_minimum'],
  ['no exchange rate was known', 'no_rate'],
  ['paid to a sandbox address', 'sandbox_address'],
  ['its address is frozen: its owner changed', 'frozen_address'],
  ['found by balance reconciliation: no payment explains it', 'unexplained_balance'],
  ['came back after its invoice had ended', 'came_back_late'],
  ['came back after its invoice had changed its asset', 'came_back_late'],
];
const SWEEPS: readonly (readonly [string, SweepReason['code']])[] = [
  ['the risk check keeps a payment at this address', 'withheld'],
  ['at present it costs too much of what it would bring', 'not_worth_it'],
  ['the fee is higher than what would be moved', 'too_dear'],
  ['what leaves the hot wallet already, and payouts, come first', 'no_place'],
  ['liquidity: the hot wallet has too little eth_ethereum', 'liquidity'],
  ['nothing is there that could be moved', 'empty'],
  ['fees rose above the gas that was sent', 'fees_rose'],
  ['no energy is lent any more', 'loan_gone'],
  ['it took too long for the energy that was to be lent', 'loan_late'],
  ['given up by an operator', 'operator'],
  ['an earlier sweep of the address is open again', 'earlier_reopened'],
  ['a reorganisation removed the block of its transfer', 'reorganised'],
  ['it reverted', 'transfer_failed'],
];
const FAILURES: readonly (readonly [string, FailureCode, string?])[] = [
  ['given up by an operator', 'operator', 'reclaim'],
  ['held by an operator: ask first', 'operator'],
  ['its sequence was used by another transaction', 'superseded'],
  ['it took too long for the energy that was to be lent', 'loan_late', 'lend'],
  ['a sequence that nobody took', 'unused_sequence', 'gap'],
  ['over the limit', 'signer_refused'],
];

describe.skipIf(!needs('postgres', postgresAvailable()))('the migration to codes', () => {
  let held: TestDatabase;
  let merchant: Merchant;
  beforeAll(async () => {
    held = await migratedBefore(CODES);
    merchant = await merchantOfThen(held.database);
  });
  afterAll(() => held.drop());

  const insertStray = (note: string | null, status = 'stray') => {
    const { id, chain, txid, output, asset, address } = aDeposit();
    return held.database
      .query(
        `insert into deposits (id, chain, txid, output, asset, address, units, status, first_seen_at, unexplained, merchant_id, sandbox, note)
         values ($1, $2, $3, $4, $5, $6, 5, $7, now(), false, $8, false, $9)`,
        [id, chain, txid, output, asset, address, status, merchant.id, note],
      )
      .then(() => id);
  };
  const insertTransfer = (nonce: number, failure: string, purpose = 'payout', mined = false) => {
    const { id, referenceId, to } = anOutgoing();
    const block = mined ? [`0x0${nonce}`, 7, '0xb7', '1'] : [null, null, null, null];
    return held.database
      .query(
        `insert into outgoing_transfers (id, chain, wallet, sequence, bundle_id, position, purpose, reference_id, asset, to_address,
           units, status, txid, block_height, block_hash, fee_units, failure, voided, created_at)
         values ($1, 'ethereum', '0xaa', $2, $1, 0, $3, $4, 'eth_ethereum', $5, 5, 'failed', $6, $7, $8, $9, $10, $11, now())`,
        [id, nonce, purpose, referenceId, to, ...block, failure, !mined],
      )
      .then(() => id);
  };
  const insertSweep = (address: string, reason: string) => {
    const id = anId();
    return held.database
      .query(
        `insert into sweeps (id, chain, address, asset, status, forced, reason, created_at, ended_at)
         values ($1, 'ethereum', $2, 'eth_ethereum', 'failed', false, $3, now(), now())`,
        [id, address, reason],
      )
      .then(() => id);
  };

  test('every sentence becomes its code, and one that is not known keeps its words', async () => {
    const strays = await Promise.all(STRAYS.map(([note]) => insertStray(note)));
    const reworded = await insertStray('below two dollars when its invoice was over');
    const onItsWay = await insertStray('no longer known', 'confirming');
    const spoken = await insertStray('looks stolen', 'credited');
    const failures = await Promise.all(
      FAILURES.map(([failure, , purpose], at) => insertTransfer(at, failure, purpose)),
    );
    const reverted = await insertTransfer(99, 'in vain', 'payout', true);
    const sweeps = await Promise.all(SWEEPS.map(([reason], at) => insertSweep(`0x${at}`, reason)));

    expect((await migrate(held.database, { directory: MIGRATIONS })).applied).toContain(CODES);
    await postgresUnitOfWork(held.database).run(async (r) => {
      const stray = async (id: string) => {
        const { strayReason, note } = (await r.deposits.lock(id))!;
        return { strayReason, note };
      };
      for (const [at, [, strayReason]] of STRAYS.entries())
        expect(await stray(strays[at]!)).toEqual({ strayReason, note: null });
      expect(await stray(reworded)).toEqual({
        strayReason: 'no_invoice',
        note: 'below two dollars when its invoice was over',
      });
      expect((await stray(onItsWay)).strayReason).toBe('no_invoice');
      expect((await stray(spoken)).note).toBe('looks stolen');
      for (const [at, [text, code]] of FAILURES.entries())
        expect((await r.outgoing.lock(failures[at]!))?.failure).toEqual({ code, text });
      expect((await r.outgoing.lock(reverted))?.failure).toEqual({ code: 'reverted', text: 'in vain' });
      for (const [at, [text, code]] of SWEEPS.entries())
        expect((await r.sweeps.lock(sweeps[at]!))?.reason).toEqual({ code, text });
    });
  });
});
