/**
 * Two nodes of the XRP Ledger, one of which lies, or keeps little history: nothing wrong gets in,
 * and nothing is stuck for ever.
 */
import { describe, expect, test } from 'bun:test';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';
import { stageXrpJourney, type XrpJourney } from '../../support/xrp/journey.ts';

/** Changes what a node says of the nonce of our account. */
const tooHigh = (on: XrpJourney, by: number) => (method: string, result: Json) =>
  method === 'account_info' && result.account_data?.Account === on.hot
    ? { ...result, account_data: { ...result.account_data, Sequence: result.account_data.Sequence + by } }
    : undefined;

describe.skipIf(!needs('postgres', postgresAvailable()))('with two nodes of the XRP Ledger', () => {
  const on = stageXrpJourney({ nodes: 2 });
  const { earn, order, payoutOf, closed, settle } = on;

  test('a payout that was mined during an outage comes to its end, though one node has forgotten that ledger', async () => {
    await earn(10_000);
    const shop = on.lab.account('shop');
    const { body } = await order(shop, 10_000n);
    await settle();
    expect((await payoutOf(body.result.order_id)).status).toBe('processing');
    // The service is away while the ledger goes on; the second node keeps the last 30 ledgers only.
    on.lab.network.close(80);
    const oldest = on.lab.last().index - 30;
    on.lab.nodes[1]!.behave({ keeps: (index) => index >= oldest });
    for (let round = 0; round < 5; round += 1) await closed(1);
    expect((await payoutOf(body.result.order_id)).status).toBe('success');
  });

  test('one node that told a nonce five too high for a few seconds holds payouts up for no longer than that', async () => {
    await earn(10_000);
    on.lab.nodes[1]!.behave({ answer: tooHigh(on, 5) });
    const { body } = await order(on.lab.account('shop'), 10_000n);
    await settle();
    on.lab.nodes[1]!.behave({});
    for (let round = 0; round < 30; round += 1) await closed(1);
    expect((await payoutOf(body.result.order_id)).status).toBe('success');
  });

  test('one node that told a nonce far too high once does not keep payouts from going for ever', async () => {
    await earn(10_000);
    on.lab.nodes[1]!.behave({ answer: tooHigh(on, 1_000_000) });
    const { body } = await order(on.lab.account('shop'), 10_000n);
    await settle();
    on.lab.nodes[1]!.behave({});
    for (let round = 0; round < 30; round += 1) await closed(1);
    expect((await payoutOf(body.result.order_id)).status).toBe('success');
  });

  /** What a ledger says that a transaction delivered, and the balance to match. */
  const inflated = (txid: string, drops: bigint) => (method: string, result: Json) => {
    if (method !== 'ledger' || !Array.isArray(result.ledger?.transactions)) return undefined;
    const told = structuredClone(result);
    for (const item of told.ledger.transactions) {
      if (item?.hash !== txid) continue;
      const more = drops - BigInt(item.meta.delivered_amount);
      item.meta.delivered_amount = drops.toString();
      for (const { ModifiedNode: node } of item.meta.AffectedNodes)
        if (node?.FinalFields?.Account === on.hot)
          node.FinalFields.Balance = (BigInt(node.FinalFields.Balance) + more).toString();
    }
    return told;
  };

  test('A3: a payment of one drop that the first node tells as thousands of XRP is not credited as that', async () => {
    const invoice = await on.create({ amount: 1_000 });
    const txid = on.pay(invoice, 1n);
    on.lab.nodes[0]!.behave({ answer: inflated(txid, on.due(invoice)) });
    await closed(3);
    expect((await on.balance()).available).toBeLessThan(1);
    expect((await on.read(invoice.order_id ?? invoice.id)).status).not.toBe('success');
  });
});

describe.skipIf(!needs('postgres', postgresAvailable()))('the first payout, with a single node', () => {
  const on = stageXrpJourney();

  test('is held up by a nonce that was told five too high for no longer than a gap takes to be used up', async () => {
    await on.earn(10_000);
    on.lab.nodes[0]!.behave({ answer: tooHigh(on, 5) });
    const { body } = await on.order(on.lab.account('shop'), 10_000n);
    await on.settle();
    await on.closed(2);
    on.lab.nodes[0]!.behave({});
    for (let round = 0; round < 30; round += 1) await on.closed(1);
    expect((await on.payoutOf(body.result.order_id)).status).toBe('success');
    await on.ledgerIsRight();
  });
});
