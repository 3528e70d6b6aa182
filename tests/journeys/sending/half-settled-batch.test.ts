/**
 * A worker that dies while it settles a batch, on a real node: what is left of it is settled as it
 * was paid (safety.md, "Paid once").
 */
import { describe, expect, test } from 'bun:test';
import { settleTransfer } from '../../../src/app/sending/settle-transfer.ts';
import { reconcileChain } from '../../../src/app/treasury/reconcile-chain.ts';
import { exactNumber } from '../../../src/domain/money/exact-number.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';
import { CONFIRMATIONS, stageUtxoJourney } from '../../support/utxo/utxo-journey.ts';
import { LITECOIN } from '../../support/utxo/utxo-nodes.ts';

const ready = [LITECOIN.there(), needs('postgres', postgresAvailable())].every(Boolean);

describe.skipIf(!ready)('a batch that is half settled', () => {
  const on = stageUtxoJourney(LITECOIN);

  test('has its other payouts settled as paid, and none of their money is given back', async () => {
    const invoice = await on.create({ amount: 1_000, fee_bearer: 'merchant' });
    await on.pay(invoice);
    await on.mineToFinality();
    const items = [150_000n, 250_000n, 350_000n].map((units) => {
      return { address: on.node.freshAddress(), asset: LITECOIN.asset, amount: exactNumber(units, 8) };
    });
    const headers = { 'x-uniq-id': crypto.randomUUID(), 'content-type': 'application/json' };
    const path = '/api/v2/payouts/batch';
    const ordered = await on.it.call(on.merchant.live, 'POST', path, JSON.stringify({ items }), headers);
    expect(ordered.status).toBe(201);
    await on.settle();
    await on.node.mine(CONFIRMATIONS);

    const { dependencies: deps, sending } = on.it.service;
    const treasury = sending.chains.get(LITECOIN.family);
    if (!treasury) throw new Error('litecoin has no sender');
    const { sender, chain } = treasury;
    const batch = await deps.unitOfWork.run((r) => r.outgoing.open(chain, 10));
    const [first] = batch;
    if (!first || batch.length !== 3) throw new Error('the payouts did not leave in one batch');
    const { transferBatchId, wallet, nonce, asset } = first;
    const known = await deps.unitOfWork.run(async (r) => ({
      transactions: await r.outgoing.signedOf([transferBatchId]),
      inputs: await r.utxos.ofBatch(transferBatchId),
    }));
    const outcome = await sender.outcome({ wallet, nonce, ...known, order: { asset, payments: batch } });
    if (outcome.kind !== 'mined') throw new Error(`the batch is ${outcome.kind}`);
    // The worker dies after the first of them.
    expect(await settleTransfer(deps, first, { type: 'confirmed', ...outcome }, sender)).toBe(true);

    await on.settle();
    for (const { order_id: id } of ordered.body.result.items as Json[]) {
      const payout = await on.it.call(on.merchant.live, 'GET', `/api/v2/payouts/${id}`);
      expect(payout.body.result).toMatchObject({ status: 'success', txid: outcome.txid });
    }
    expect(await reconcileChain(deps, treasury, { height: null })).toMatchObject({ differences: [] });
    await on.booksAreRight();
  });
});
