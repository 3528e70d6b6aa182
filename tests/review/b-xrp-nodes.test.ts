/** Two nodes of the XRP Ledger, one of which lies, or keeps little history: nothing wrong gets in, and nothing is stuck for ever. */
import { describe, expect, test } from 'bun:test';
import { needs } from '../support/needs.ts';
import { postgresAvailable } from '../support/postgres.ts';
import { stageXrpJourney } from '../support/xrp/journey.ts';

type Json = Record<string, any>;

describe.skipIf(!needs('postgres', postgresAvailable()))('with two nodes of the XRP Ledger', () => {
  const on = stageXrpJourney({ nodes: 2 });
  const { earn, order, payoutOf, closed, settle } = on;

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

  const tooHigh = (by: number) => (method: string, result: Json) =>
    method === 'account_info' && result.account_data?.Account === on.hot
      ? { ...result, account_data: { ...result.account_data, Sequence: result.account_data.Sequence + by } }
      : undefined;

  test('one node that told a sequence five too high for a few seconds holds payouts up for no longer than that', async () => {
    await earn(10_000);
    on.lab.nodes[1]!.behave({ answer: tooHigh(5) });
    const { body } = await order(on.lab.account('shop'), 10_000n);
    await settle();
    on.lab.nodes[1]!.behave({});
    for (let round = 0; round < 30; round += 1) await closed(1);
    expect((await payoutOf(body.result.order_id)).status).toBe('success');
  });

  test('one node that told a sequence far too high once does not keep payouts from going for ever', async () => {
    await earn(10_000);
    on.lab.nodes[1]!.behave({ answer: tooHigh(1_000_000) });
    const { body } = await order(on.lab.account('shop'), 10_000n);
    await settle();
    on.lab.nodes[1]!.behave({});
    for (let round = 0; round < 30; round += 1) await closed(1);
    expect((await payoutOf(body.result.order_id)).status).toBe('success');
  });
});
