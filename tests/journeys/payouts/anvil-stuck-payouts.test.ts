/**
 * Payouts that cannot go on, on a real node: too much gas for a block, a recipient that the node
 * does not try, a fee that the signer's policy does not allow, and what an operator cancels after
 * it was signed. Whatever it is, it stops nobody, and is paid once or not at all.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cancelPayout } from '../../../src/app/sending/operate-payouts.ts';
import { formatUnits, unitsOf } from '../../../src/domain/money/decimal.ts';
import { type RpcProxy, startRpcProxy } from '../../support/chains/rpc-proxy.ts';
import { anvilAvailable } from '../../support/evm/anvil.ts';
import { type ServiceOnAnvil, stageAnvilJourney } from '../../support/evm/anvil-journey.ts';
import { gasBurner } from '../../support/evm/evm-burner.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';

const ASSET = 'eth_ethereum';
const AMOUNT = '0.000001';
const USUAL_BLOCK = 30_000_000;
/** Longer than a transaction waits before it is replaced. */
const LATE = 100;

describe.skipIf(!needs('anvil', anvilAvailable()) || !needs('postgres', postgresAvailable()))(
  'a payout that cannot go on',
  () => {
    const on = stageAnvilJourney();
    const folder = mkdtempSync(join(tmpdir(), 'quittance-policy-'));
    const policy = join(folder, 'policy.json');
    let proxy: RpcProxy;
    let at: ServiceOnAnvil;

    beforeAll(async () => {
      proxy = await startRpcProxy(on.lab.anvil.url);
      writeFileSync(policy, '{}');
      at = await on.open(
        {
          chains: { ethereum: { rpc: [proxy.url], chain_id: 31_337, confirmations: 4 } },
          assets: { usdt_ethereum: { enabled: false }, usdc_ethereum: { enabled: false } },
        },
        { SIGNER_POLICY: policy },
      );
      const hot = at.it.service.sending.chains.get('ethereum')?.deriver.hotWallet() ?? '';
      await on.lab.send({ to: hot, value: unitsOf('10', 18) });
      await on.pay(await at.create({ amount: 300, asset: ASSET }));
      await mine(4);
    });
    beforeEach(() => proxy.behave({}));
    afterEach(async () => {
      await blockGas(USUAL_BLOCK);
      expect(await openTransfers()).toBe(0);
      await at.booksAreRight();
    });
    afterAll(async () => {
      await proxy.stop();
      rmSync(folder, { recursive: true });
    });

    const deps = () => at.it.service.dependencies;
    /** Mines, as long after the last block, and lets the service see it. */
    async function mine(count = 1, seconds = 0): Promise<void> {
      on.clock.advance(seconds);
      await on.mine(count);
      await at.it.settle();
    }
    async function order(address = on.lab.freshAddress()): Promise<string> {
      const body = { address, asset: ASSET, amount: Number(AMOUNT) };
      const headers = { 'x-uniq-id': crypto.randomUUID() };
      const answer = await at.it.call(at.merchant.live, 'POST', '/api/v2/payouts', body, headers);
      expect(answer.body).toMatchObject({ ok: true });
      return answer.body.result.order_id;
    }
    const view = async (id: string): Promise<Json> =>
      (await at.it.call(at.merchant.live, 'GET', `/api/v2/payouts/${id}`)).body.result;
    const statuses = (ids: readonly string[]) => Promise.all(ids.map(async (id) => (await view(id)).status));
    const stored = async (id: string) => (await deps().unitOfWork.run((r) => r.payouts.lock(id)))!;
    const openTransfers = async () =>
      (await deps().unitOfWork.run((r) => r.outgoing.open('ethereum', 100))).length;
    const received = async (id: string): Promise<bigint> => {
      const { address } = await stored(id);
      return BigInt(await on.lab.anvil.rpc<string>('eth_getBalance', [address, 'latest']));
    };
    const available = async (): Promise<number> => (await at.balance()).available;
    const alarms = () => at.lines.filter(({ level }) => level === 'error').map(({ event }) => event);
    const blockGas = (gas: number) => on.lab.anvil.rpc('evm_setBlockGasLimit', [`0x${gas.toString(16)}`]);
    const isAbout = (address: string) => (call: { method: string; params: readonly unknown[] }) =>
      call.method === 'eth_estimateGas' && JSON.stringify(call.params).includes(address);

    test('G3: one that no block can take any more is voided by itself, and those behind it are mined', async () => {
      const before = await available();
      const stuck = await order(await gasBurner(on.lab, 40_000));
      await at.it.settle();
      const others = [await order(), await order(), await order()];
      await at.it.settle();
      expect(await statuses([stuck, ...others])).toEqual(Array(4).fill('processing'));
      await blockGas(60_000);
      await mine();
      // What takes less is behind it, and waits.
      expect(await Promise.all(others.map(received))).toEqual([0n, 0n, 0n]);
      await mine(1, LATE);
      await mine(1);
      await mine(8);
      expect(await statuses([stuck, ...others])).toEqual(['failed', 'success', 'success', 'success']);
      expect((await stored(stuck)).failure).toContain('no block takes more than 60000');
      expect(await received(stuck)).toBe(0n);
      expect(alarms()).toContain('transfer.given_up');
      const spent = await Promise.all(others.map(async (id) => (await stored(id)).reservedMicroUsd));
      expect(before - (await available())).toBeCloseTo(Number(spent.reduce((a, b) => a + b)) / 1e6, 4);
    });

    test('G3: an operator cancels a signed one, and the chain takes the void: the balance is back, and nobody was paid', async () => {
      const before = await available();
      const [cancelled, other] = [await order(), await order()];
      await at.it.settle();
      const { txid } = await view(cancelled);
      expect((await cancelPayout(deps())(cancelled)).ok).toBe(true);
      expect((await cancelPayout(deps())(cancelled)).ok).toBe(true);
      expect(await statuses([cancelled])).toEqual(['processing']);
      await at.it.settle();
      await mine(8);
      expect(await statuses([cancelled, other])).toEqual(['cancelled', 'success']);
      const ended = await view(cancelled);
      expect(ended.tx_hashes).toEqual([txid, ended.txid]);
      expect(ended.txid).not.toBe(txid);
      expect([await received(cancelled), await received(other)]).toEqual([0n, unitsOf(AMOUNT, 18)]);
      const { reservedMicroUsd } = await stored(other);
      expect(before - (await available())).toBeCloseTo(Number(reservedMicroUsd) / 1e6, 4);
    });

    test('G3: an operator cancels a signed one, and the chain takes the payment: it is paid, once', async () => {
      const id = await order();
      await at.it.settle();
      const { txid } = await view(id);
      // The payment is mined while the void is on its way to the nodes.
      proxy.behave({ refuse: ['eth_sendRawTransaction'] });
      expect((await cancelPayout(deps())(id)).ok).toBe(true);
      await at.it.settle(1);
      await on.mine();
      proxy.behave({});
      await mine(8);
      expect(await view(id)).toMatchObject({ status: 'success', txid });
      expect(await received(id)).toBe(unitsOf(AMOUNT, 18));
    });

    test('G3: a reorganisation that takes the void away and brings the payment pays the cancelled payout, and takes it from the balance again', async () => {
      const before = await available();
      const id = await order();
      await at.it.settle();
      const raw = await on.raw((await view(id)).txid);
      expect((await cancelPayout(deps())(id)).ok).toBe(true);
      await at.it.settle();
      await mine(5);
      expect(await statuses([id])).toEqual(['cancelled']);
      expect(await available()).toBe(before);
      await on.reorg(7, [[raw, 0]]);
      await mine(8);
      expect(await statuses([id])).toEqual(['success']);
      expect(await received(id)).toBe(unitsOf(AMOUNT, 18));
      const { reservedMicroUsd } = await stored(id);
      expect(before - (await available())).toBeCloseTo(Number(reservedMicroUsd) / 1e6, 4);
    });

    test('G4: one whose recipient the node tries for 17 s, or refuses to try for ever, stops no other, and is held at last', async () => {
      const hard = on.lab.freshAddress();
      const { promise: whenever, resolve } = Promise.withResolvers<undefined>();
      proxy.behave({ answer: (call) => (isAbout(hard)(call) ? whenever : undefined) });
      const slow = await order(hard);
      const others = [await order(), await order(), await order(), await order(), await order()];
      await at.it.settle(1);
      expect(await stored(slow)).toMatchObject({ status: 'pending', waiting: { code: 'trial' } });
      resolve(undefined);
      proxy.behave({ refuse: isAbout(hard) });
      await at.it.settle();
      await mine(6);
      expect(await statuses([slow, ...others])).toEqual(['pending', ...Array(5).fill('success')]);
      for (let tries = 0; tries < 8; tries += 1) await mine(1, 700);
      expect((await stored(slow)).held).toMatchObject({
        code: 'unclear',
        text: expect.stringContaining('it cannot be tried'),
      });
      expect(alarms()).toContain('payout.unsignable');
      expect((await cancelPayout(deps())(slow)).ok).toBe(true);
    });

    test('G5: one whose fee the policy of the signer does not allow is held with the reason, and those behind it are paid', async () => {
      const dear = await order(await gasBurner(on.lab, 40_000));
      const others = [await order(), await order()];
      const { sender } = at.it.service.sending.chains.get('ethereum')!;
      const { maxUnits } = await sender.price({ asset: ASSET, to: null });
      const most = formatUnits(2n * maxUnits, 18);
      writeFileSync(policy, JSON.stringify({ chains: { ethereum: { max_fee: most } } }));
      await at.it.settle();
      await mine(6);
      writeFileSync(policy, '{}');
      expect(await statuses([dear, ...others])).toEqual(['pending', 'success', 'success']);
      expect((await stored(dear)).held).toMatchObject({
        code: 'signer',
        text: expect.stringContaining('policy allows'),
      });
      expect((await cancelPayout(deps())(dear)).ok).toBe(true);
      await mine(5);
    });
  },
);
