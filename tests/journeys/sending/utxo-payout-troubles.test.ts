/**
 * Payouts on a real bitcoin node that meet trouble: a reorganisation takes their UTXOs, a neighbour
 * is cancelled, they go to ourselves.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { cancelPayout } from '../../../src/app/sending/operate-payouts.ts';
import type { SendingChain } from '../../../src/app/sending/sending-chain.ts';
import { reconcileChain } from '../../../src/app/treasury/reconcile-chain.ts';
import { formatUnits, unitsOf } from '../../../src/domain/money/decimal.ts';
import { recordingLogger } from '../../support/evm/evm-lab.ts';
import { type MerchantJourney, merchantJourney } from '../../support/merchant-journey.ts';
import type { RegtestNode } from '../../support/nodes/regtest.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { type TestClock, testClock } from '../../support/runtime/test-clock.ts';
import { type Json, startTestService, type TestService } from '../../support/test-service.ts';
import { BITCOIN } from '../../support/utxo/utxo-nodes.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhooks/webhook-receiver.ts';

const CONFIRMATIONS = 3;

describe.skipIf(![BITCOIN.there(), needs('postgres', postgresAvailable())].every(Boolean))(
  'payouts on bitcoin',
  () => {
    let node: RegtestNode;
    let receiver: WebhookReceiver;
    let it: TestService;
    let on: MerchantJourney;
    let clock: TestClock;
    /** Runs between the signer's signature and its storage. */
    let afterSigning: (() => Promise<void>) | null = null;

    const tipTime = async (): Promise<number> =>
      (await node.rpc<{ time: number }>('getblockheader', await node.rpc<string>('getbestblockhash'), true))
        .time;
    async function settle(): Promise<void> {
      clock.advance(Math.max(0, (await tipTime()) - clock.now().getTime() / 1000));
      await it.settle();
    }
    async function mineToFinality(): Promise<void> {
      await node.mine(CONFIRMATIONS);
      await settle();
    }

    beforeAll(async () => {
      node = await BITCOIN.start();
      await node.mine(10);
      receiver = startWebhookReceiver();
      clock = testClock(new Date((await tipTime()) * 1000));
      const sending = (chain: SendingChain): SendingChain => ({
        ...chain,
        signer: {
          ...chain.signer,
          async sign(order) {
            const signed = await chain.signer.sign(order);
            const hook = afterSigning;
            afterSigning = null;
            await hook?.();
            return signed;
          },
        },
      });
      it = await startTestService({
        file: { chains: { bitcoin: { rpc: [node.url], network: 'regtest', confirmations: CONFIRMATIONS } } },
        overrides: { clock, logger: recordingLogger(), sending },
      });
      await settle();
    });
    beforeEach(async () => {
      on = await merchantJourney(it, receiver);
    });
    afterAll(async () => {
      await it.stop();
      await receiver.stop();
      await node.stop();
    });

    async function earn(usd: number) {
      const invoice = await on.create({ asset: BITCOIN.asset, amount: usd, fee_bearer: 'merchant' });
      const paid = await node.pay([{ to: invoice.address_to, units: unitsOf(String(invoice.amount), 8) }]);
      await mineToFinality();
      return paid;
    }
    async function ask(items: readonly { address: string; units: bigint }[]): Promise<Json> {
      const body = {
        items: items.map(({ address, units }) => ({
          ...{ address, asset: BITCOIN.asset },
          amount: Number(formatUnits(units, 8)),
        })),
      };
      const headers = { 'x-uniq-id': crypto.randomUUID(), 'content-type': 'application/json' };
      return (await it.call(on.merchant.live, 'POST', '/api/v2/payouts/batch', JSON.stringify(body), headers))
        .body;
    }
    async function order(items: readonly { address: string; units: bigint }[]): Promise<readonly string[]> {
      const body = await ask(items);
      expect(body).toMatchObject({ ok: true });
      return body.result.items.map((item: Json) => item.order_id);
    }
    const payout = async (id: string): Promise<Json> =>
      (await it.call(on.merchant.live, 'GET', `/api/v2/payouts/${id}`)).body.result;

    test('U7: one that spends a deposit which a reorganisation took away is given back, with the coins that were left', async () => {
      await earn(1_000);
      await node.mine(CONFIRMATIONS);
      const stolen = await earn(5_000);
      // More than either deposit: it spends both.
      const [id = ''] = await order([{ address: node.freshAddress(), units: 275_000_000n }]);
      await settle();
      expect((await payout(id)).status).toBe('processing');
      const rival = await node.sign([{ to: node.freshAddress(), units: 240_000_000n }], {
        spending: stolen.utxos,
        feeUnits: 100_000n,
      });
      await node.reorg(CONFIRMATIONS, [rival.raw]);
      await node.mine(1);
      await settle();
      // The operator makes up for the loss.
      const hotWallet = it.service.sending.chains.get('bitcoin')?.deriver.hotWallet() ?? '';
      await node.pay([{ to: hotWallet, units: 900_000_000n }]);
      for (let round = 0; round < 8; round += 1) {
        await mineToFinality();
        clock.advance(100);
        await settle();
      }
      // The rival is two dozen blocks deep: what was signed can never be mined, and what was left
      // of its UTXOs came back.
      expect((await payout(id)).status).toBe('failed');
      const { dependencies: deps, sending } = it.service;
      expect(await reconcileChain(deps, sending.chains.get('bitcoin')!, { height: null })).toMatchObject({
        ...{ differences: [], unavailable: null },
      });
      expect(await deps.operatorQueries.reconciliationFaults()).toEqual([]);
      expect(await deps.unitOfWork.run((r) => r.outgoing.open('bitcoin', 10))).toEqual([]);
    }, 120_000);

    test('one that is cancelled in the moment its batch is signed does not keep the others from being paid', async () => {
      await earn(3_000);
      const ids = await order(
        Array.from({ length: 3 }, (_, n) => ({
          address: node.freshAddress(),
          units: 1_000_000n + BigInt(n),
        })),
      );
      afterSigning = async () => {
        const cancelled = await cancelPayout(it.service.dependencies)(ids[1]!);
        expect(cancelled.ok).toBe(true);
      };
      for (let round = 0; round < 6; round += 1) {
        await settle();
        await mineToFinality();
      }
      const found = await Promise.all(ids.map(payout));
      const held = await it.service.dependencies.unitOfWork.run(async (r) => {
        const a = [];
        for (const i of ids) a.push((await r.payouts.lock(i))?.held ?? null);
        return a;
      });
      expect(held).toEqual([null, null, null]);
      expect(found.map(({ status }) => status)).toEqual(['success', 'cancelled', 'success']);
    }, 120_000);

    test('are refused to an address of our own that took change, as to any other address of ours', async () => {
      await earn(3_000);
      const [id = ''] = await order([{ address: node.freshAddress(), units: 1_000_000n }]);
      await settle();
      await mineToFinality();
      const { txid } = await payout(id);
      const { vout } = await node.rpc<{ vout: { scriptPubKey: { address: string } }[] }>(
        'getrawtransaction',
        txid,
        true,
      );
      const change = vout.at(-1)!.scriptPubKey.address;
      const body = await ask([{ address: change, units: 500_000n }]);
      expect(body.result.items).toMatchObject([
        { status: 'failed', error: 'The address belongs to this gateway. Payouts to it are refused.' },
      ]);
    }, 120_000);
  },
);
