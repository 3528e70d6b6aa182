/** A node that tells a wrong hash of one block for a moment must not make a deposit of TON gone for good. */
import { describe, expect, test } from 'bun:test';
import { needs } from '../support/needs.ts';
import { postgresAvailable } from '../support/postgres.ts';
import { stageTonJourney } from '../support/ton/ton-journey.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))(
  'a deposit on TON that was paid while the service was away',
  () => {
    const on = stageTonJourney();
    const { create, pay, settle, read } = on;

    test('is credited, though the node told another hash of its block for a moment', async () => {
      const invoice = await create({ amount: 500 });
      pay(invoice);
      await on.lab.chain.settle();
      const wallet = on.lab.jetton.walletOf(on.lab.addressOf(invoice.address_to)).toRawString();
      const { hash } = on.lab.last(wallet);
      const paid = Array.from({ length: on.lab.chain.tip.seqno + 1 }, (_, seqno) => seqno).find((seqno) =>
        on.lab.chain.block(seqno)?.records.some((record) => record.hash.equals(hash)),
      )!;
      await on.lab.mine(60);
      let asked = 0;
      on.lab.server.behave({
        answer: (method, params, result) => {
          if (method !== 'getBlockHeader' || Number(params.seqno) !== paid) return undefined;
          asked += 1;
          // The first time it is read; the next two times it is asked whether that block stands.
          if (asked === 1 || asked > 3) return undefined;
          const told = result as { id: object };
          return { ...told, id: { ...told.id, root_hash: Buffer.alloc(32, 1).toString('base64') } };
        },
      });
      await settle();
      on.lab.server.behave({});
      for (let round = 0; round < 5; round += 1) {
        await on.lab.mine(1);
        await settle();
      }
      expect((await read(invoice.order_id ?? invoice.id)).status).toBe('success');
    });
  },
);
