/** Migration 0011 on a database that sent before there were batches: every transfer is a batch of its own, with what was signed. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { migrate } from '../../../../src/adapters/postgres/client/migrate.ts';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import type { OutgoingTransfer } from '../../../../src/domain/sending/outgoing.ts';
import { failureOf } from '../../../../src/domain/sending/outgoing-failure.ts';
import { NOW } from '../../../support/builders.ts';
import { anOutgoing, aSigned } from '../../../support/payouts/outgoing-builders.ts';
import { MIGRATIONS, migratedBefore } from '../../../support/postgres/migrated-before.ts';
import { postgresAvailable, type TestDatabase } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';

const BUNDLES = '0011_bundles_and_coins';

describe.skipIf(!needs('postgres', postgresAvailable()))('the migration to bundles', () => {
  let held: TestDatabase;
  beforeEach(async () => {
    held = await migratedBefore(BUNDLES);
  });
  afterEach(() => held.drop());

  const insertOld = (transfer: OutgoingTransfer) =>
    held.database.query(
      `insert into outgoing_transfers (id, chain, wallet, sequence, purpose, reference_id, asset, to_address, units, status,
         txid, block_height, block_hash, fee_units, failure, voided, hurried, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
      [
        ...[transfer.id, transfer.chain, transfer.wallet, transfer.nonce.toString(), transfer.purpose],
        ...[transfer.referenceId, transfer.asset, transfer.to, transfer.units.toString(), transfer.status],
        ...[transfer.txid, transfer.block?.height ?? null, transfer.block?.hash ?? null],
        ...[
          transfer.feeUnits?.toString() ?? null,
          transfer.failure?.text ?? null,
          transfer.voided,
          transfer.feeBumpRequested,
        ],
        transfer.createdAt,
      ],
    );
  const insertOldSigned = ({ transferBatchId, ...signed }: ReturnType<typeof aSigned>) =>
    held.database.query(
      `insert into signed_transactions (transfer_id, ordinal, txid, raw, voids, max_fee_units, signed_at, broadcast_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        ...[transferBatchId, signed.ordinal, signed.txid, signed.raw, signed.voids],
        ...[signed.maxFeeUnits.toString(), signed.signedAt, NOW],
      ],
    );

  test('keeps every transfer and every signed transaction, each transfer as the lead of itself', async () => {
    const wallet = '0xaa';
    const at = (nonce: bigint, given: Partial<OutgoingTransfer> = {}) =>
      anOutgoing({ wallet, nonce, ...given });
    const mined = { txid: '0x01', block: { height: 7, hash: '0xb7' }, feeUnits: 21_000n };
    const transfers = [
      at(0n, { status: 'confirmed', ...mined }),
      at(1n, { status: 'failed', failure: failureOf('reverted'), ...mined, txid: '0x02' }),
      at(2n, { status: 'signed', feeBumpRequested: true }),
      at(3n, { status: 'signed', voided: true, failure: failureOf('operator'), purpose: 'sweep' }),
      at(4n, { purpose: 'topup', asset: 'eth_ethereum' }),
    ] as const;
    const [confirmed, failed, waiting, voided] = transfers;
    const signed = [
      aSigned({ transferBatchId: confirmed.id, txid: '0x01' }),
      aSigned({ transferBatchId: failed.id, txid: '0x02' }),
      aSigned({ transferBatchId: waiting.id }),
      aSigned({ transferBatchId: waiting.id, ordinal: 2 }),
      aSigned({ transferBatchId: voided.id, voids: true }),
    ];
    for (const transfer of transfers) await insertOld(transfer);
    for (const each of signed) await insertOldSigned(each);

    expect((await migrate(held.database, { directory: MIGRATIONS })).applied).toContain(BUNDLES);
    const unitOfWork = postgresUnitOfWork(held.database);
    await unitOfWork.run(async ({ outgoing }) => {
      for (const transfer of transfers) {
        expect(transfer).toMatchObject({ transferBatchId: transfer.id, position: 0 });
        expect(await outgoing.lockBatch(transfer.id)).toEqual([transfer]);
      }
      expect(await outgoing.open('ethereum', 10)).toEqual(transfers.slice(2));
      expect(await outgoing.signedOf(transfers.map(({ id }) => id))).toEqual(
        signed.map((each) => ({ ...each, broadcastAt: NOW })),
      );
    });
    // What goes on is held to the new rules: one batch per nonce, one lead per batch, and the next ordinal.
    const replacing = aSigned({ transferBatchId: waiting.id, ordinal: 3 });
    expect(await unitOfWork.run((r) => r.outgoing.insertSigned(replacing))).toBe(true);
    for (const wrong of [at(4n), anOutgoing({ transferBatchId: waiting.id }), anOutgoing({ position: 1 })])
      await expect(unitOfWork.run((r) => r.outgoing.insert(wrong))).rejects.toThrow('outgoing_transfers');
    const bump = anOutgoing({ purpose: 'bump', referenceId: waiting.id });
    await unitOfWork.run((r) => r.outgoing.insert(bump));
  });

  test('applies to a database that never sent anything', async () => {
    expect((await migrate(held.database, { directory: MIGRATIONS })).applied).toContain(BUNDLES);
    expect(await held.database.query('select count(*) as count from coins')).toEqual([{ count: '0' }]);
  });
});
