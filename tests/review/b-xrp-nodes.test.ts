/** Two nodes of the XRP Ledger, one of which lies, or keeps little history: nothing wrong gets in, and nothing is stuck for ever. */
import { describe, expect, test } from 'bun:test';
import { needs } from '../support/needs.ts';
import { postgresAvailable } from '../support/postgres.ts';
import type { Json } from '../support/test-service.ts';
import { stageXrpJourney } from '../support/xrp/journey.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('with two nodes of the XRP Ledger', () => {
  const on = stageXrpJourney({ nodes: 2 });
  const { closed } = on;

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
