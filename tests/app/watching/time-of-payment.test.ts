/**
 * A payment is as old as its block, however long a node takes to tell of it: the gateway's clock is
 * compared with the chain's at the moment that the newest block is told (safety.md K7).
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { ChainScanner, Transfer } from '../../../src/ports/chains/chain-scanner.ts';
import { anId, anInvoice, anIssuedAddress } from '../../support/builders.ts';
import { aTxid } from '../../support/chains/utxo-builders.ts';
import { blockAt, emptyBlocks, openWatched } from '../../support/chains/watched-chain.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';

const TIP = 10;
const LATER_MS = 1_200_000;
const TOLD = new Date(blockAt(TIP).time * 1000);

describe.skipIf(!needs('postgres', postgresAvailable()))('K7: a payment of this moment', () => {
  let it: TestService;
  beforeAll(async () => {
    it = await startTestService({ env: { CHAINS: 'fake' } });
  });
  afterAll(() => it.stop());

  /** `calls`: how the nodes answer, and what they do to the clock. */
  async function watching(calls: (clock: { at: Date }, paid: Transfer) => Partial<ChainScanner>) {
    const to = `bc1q${anId()}`;
    const paid: Transfer = {
      ...{ txid: aTxid(), output: 'vout:0', asset: 'btc_bitcoin', to, from: null },
      ...{ units: 90_000n, kind: 'payment' },
    };
    const on = await openWatched(it, { confirmWithNodes: async () => ({ kind: 'not_final' }) });
    const { id: merchantId } = await it.merchant({});
    const invoice = anInvoice({ merchantId });
    await on.deps.unitOfWork.run(async (r) => {
      await r.invoices.insert(invoice);
      await r.addresses.insert(
        anIssuedAddress({ merchantId, family: 'bitcoin', address: to, invoiceId: invoice.id }),
      );
    });
    const clock = { at: TOLD };
    const deps = { ...on.deps, clock: { ...on.deps.clock, now: () => clock.at } };
    return {
      clock,
      watcher: on.again(deps, calls(clock, paid)),
      async firstSeen() {
        const found = await on.deps.unitOfWork.run((r) => r.deposits.unfinal(on.chain, TIP));
        return found.map(({ firstSeenAt }) => firstSeenAt);
      },
    };
  }

  const later = () => new Date(TOLD.getTime() + LATER_MS);
  const earlier = () => new Date(TOLD.getTime() - LATER_MS);
  const withPayment = (paid: Transfer) => [
    ...emptyBlocks(5, TIP - 1),
    { ...blockAt(TIP), transfers: [paid] },
  ];

  test('is no older than its block where the node kept us waiting for it', async () => {
    const on = await watching((clock, paid) => ({
      async head() {
        clock.at = TOLD;
        return { tip: blockAt(TIP), finalizedHeight: 4 };
      },
      blocks: async () => withPayment(paid),
    }));
    on.clock.at = earlier();
    await on.watcher.poll();
    expect(await on.firstSeen()).toEqual([TOLD]);
  });

  test('is as old where a clock that is behind reads its block again, which takes long', async () => {
    const behind = new Date(TOLD.getTime() - 3 * LATER_MS);
    const on = await watching((clock, paid) => ({
      async blocks() {
        clock.at = new Date(behind.getTime() + LATER_MS);
        return withPayment(paid);
      },
    }));
    on.clock.at = behind;
    await on.watcher.rescan({ from: 5, to: TIP });
    expect(await on.firstSeen()).toEqual([behind]);
  });

  test('is as old where its block’s source tells of it late', async () => {
    const behind = new Date(TOLD.getTime() - 3 * LATER_MS);
    const on = await watching((clock, paid) => ({
      async late(_upTo, _watch, take) {
        clock.at = later();
        await take([{ ...blockAt(TIP), transfers: [paid] }]);
      },
    }));
    on.clock.at = behind;
    await on.watcher.poll();
    expect(await on.firstSeen()).toEqual([behind]);
  });
});
