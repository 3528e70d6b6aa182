/** Batches that come to nothing, and what becomes of their UTXOs, rows and payouts. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { UtxoBackend } from '../../../src/adapters/chains/utxo/backend.ts';
import { utxoDeriver } from '../../../src/adapters/chains/utxo/deriver.ts';
import { broadcast } from '../../../src/adapters/chains/utxo/send/broadcast.ts';
import { outcomeOf } from '../../../src/adapters/chains/utxo/send/outcome.ts';
import { prepare } from '../../../src/adapters/chains/utxo/send/prepare.ts';
import type { UtxoSending } from '../../../src/adapters/chains/utxo/send/sending.ts';
import { utxoSigning } from '../../../src/adapters/chains/utxo/send/sign.ts';
import { utxoSpending } from '../../../src/adapters/chains/utxo/send/spendable.ts';
import { publicKeysOf } from '../../../src/adapters/signer/keystore.ts';
import { reserveEntry } from '../../../src/app/payouts/payout-entries.ts';
import type { StartGate } from '../../../src/app/sending/restart/start-gate.ts';
import { transferSender } from '../../../src/app/sending/send-transfers.ts';
import { hotWalletOf, type SendingChain } from '../../../src/app/sending/sending-chain.ts';
import { UNLIMITED_PAYOUTS } from '../../../src/domain/payouts/payout-limits.ts';
import type { Payout } from '../../../src/domain/payouts/payout-record.ts';
import type { ChainSender, OutcomeQuery, SendingOutcome } from '../../../src/ports/sending/chain-sender.ts';
import { EVM_CAPABILITIES } from '../../../src/ports/sending/sending-capabilities.ts';
import { type Signer, SigningRefused } from '../../../src/ports/sending/signer.ts';
import { aHash, anEntry, aPayout, NOW } from '../../support/builders.ts';
import { aTxid } from '../../support/chains/utxo-builders.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { OPEN_GATE } from '../../support/runtime/open-gate.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';
import { PHRASE } from '../../support/utxo/utxo-orders.ts';
import { ofRate, stubSending } from '../../support/utxo/utxo-stub.ts';

const CHAIN = 'bitcoin';

describe.skipIf(!needs('postgres', postgresAvailable()))('a batch of bitcoin', () => {
  let it: TestService;
  beforeEach(async () => {
    it = await startTestService({ env: { CHAINS: 'fake' } });
  });
  afterEach(() => it.stop());

  async function opened(
    given: {
      backend?: Partial<UtxoBackend>;
      /** Default: no node has seen anything. */
      outcome?: (query: OutcomeQuery, sending: UtxoSending) => SendingOutcome | Promise<SendingOutcome>;
      sign?: (sign: Signer['sign']) => Signer['sign'];
      ceiling?: bigint;
    } = {},
  ) {
    const { dependencies: deps } = it.service;
    const { id: merchantId } = await it.merchant({});
    const unspent = new Map<string, { height: number; units: bigint }>();
    const changes = { fees: { floor: 1_000n, ceiling: given.ceiling ?? null } };
    const sending = await stubSending(
      CHAIN,
      [
        {
          ...ofRate(1_000n),
          broadcast: async () => ({ kind: 'accepted' }),
          tip: async () => ({ height: 9, hash: aHash(), parentHash: aHash(), time: 0 }),
          unspent: async ({ txid }) => unspent.get(txid) ?? null,
          ...given.backend,
        },
      ],
      changes,
    );
    const { network } = sending;
    const deriver = utxoDeriver({ network, accountXpub: (await publicKeysOf(PHRASE)).bitcoin.xpub });
    const signing = utxoSigning({ network, mnemonic: async () => PHRASE });
    const sign: Signer['sign'] = (order) => signing.sign(order);
    const sender = {
      ...{ chain: CHAIN, nativeAsset: 'btc_bitcoin', utxos: utxoSpending(sending) },
      capabilities: { ...EVM_CAPABILITIES, nonces: 'independent', paymentsAtOnce: 200 },
      prepare: (order, replaces) => prepare(sending, order, replaces),
      broadcast: (raw) => broadcast(sending, raw),
      outcome: async (query) => given.outcome?.(query, sending) ?? { kind: 'unseen' },
      onChain: async () => true,
    } as Partial<ChainSender> as ChainSender;
    const signer: Signer = {
      sign: given.sign?.(sign) ?? sign,
      addresses: async () => [],
      coldAddress: async () => null,
      close: async () => undefined,
    };
    const on: SendingChain = { chain: CHAIN, family: CHAIN, sender, signer, deriver, stuckAfterMs: 60_000 };
    const address = hotWalletOf(on);
    await deps.unitOfWork.run(async (r) => {
      const cursor = { height: 9, hash: aHash(), coveredUntil: NOW, finalizedHeight: 8 };
      await r.chains.moveCursor(CHAIN, await r.chains.cursor(CHAIN), cursor);
    });
    const workerBehind = (gate: StartGate) => transferSender(deps, on, UNLIMITED_PAYOUTS, gate);
    const worker = workerBehind(OPEN_GATE);
    return {
      deps,
      address,
      workerBehind,
      step: () => worker.step(),
      async fund(...units: bigint[]) {
        const utxos = units.map((each) => ({ txid: aTxid(), vout: 0, address, units: each }));
        for (const { txid, units: each } of utxos) unspent.set(txid, { height: 7, units: each });
        await deps.unitOfWork.run(async (r) => {
          for (const coin of utxos) await r.utxos.insertFunding(CHAIN, coin, { height: 7, hash: aHash() });
        });
        return utxos;
      },
      async order(...sizes: bigint[]): Promise<readonly Payout[]> {
        const payouts = sizes.map((sentUnits, index) =>
          aPayout({
            ...{ merchantId, asset: 'btc_bitcoin', address: sending.changeAddress(5_000_000 + index) },
            ...{ sentUnits, amountUnits: sentUnits },
          }),
        );
        await deps.unitOfWork.run(async (r) => {
          for (const payout of payouts) await r.payouts.insert(payout);
        });
        return payouts;
      },
      /** What accepting them took from the balance. */
      reserved: (payouts: readonly Payout[]) =>
        deps.unitOfWork.run(async (r) => {
          for (const payout of payouts)
            await r.ledger.post(
              anEntry({ merchantId, depositId: null, ...reserveEntry(payout), kind: 'payout_retaken' }),
            );
        }),
      stored: (payouts: readonly Payout[]) =>
        deps.unitOfWork.run(async (r) => {
          const found = [];
          for (const { id } of payouts) found.push((await r.payouts.lock(id))!);
          return found;
        }),
      batchesMade: async () =>
        Number(await deps.unitOfWork.run((r) => r.outgoing.nextOf({ chain: CHAIN, address }))),
      free: () => deps.unitOfWork.run((r) => r.utxos.free(CHAIN, 1_000, 1_000)),
    };
  }

  test('whose UTXO somebody else spent leaves the other UTXOs free: they are still unspent on the chain', async () => {
    let outcome: SendingOutcome = { kind: 'unseen' };
    const spent = new Set<string>();
    const on = await opened({
      outcome: () => outcome,
      backend: {
        unspent: async ({ txid }) => (spent.has(txid) ? null : { height: 7, units: 300_000n }),
        place: async () => ({ state: 'mined', height: 7, blockHash: aHash() }),
      },
    });
    const [taken, left] = await on.fund(300_000n, 300_000n);
    const payouts = await on.order(500_000n);
    await on.step();
    expect((await on.stored(payouts)).map(({ status }) => status)).toEqual(['processing']);
    expect(await on.free()).toEqual([]);
    await on.reserved(payouts);
    // An operator swept one coin with another wallet of the same words.
    spent.add(taken!.txid);
    outcome = { kind: 'superseded' };
    for (let step = 0; step < 3; step += 1) await on.step();
    // K4: with it the operator may have paid the payout.
    expect(await on.stored(payouts)).toMatchObject([{ status: 'pending', held: { code: 'restored' } }]);
    expect((await on.free()).map(({ txid }) => txid)).toEqual([left!.txid]);
  });

  test('that another worker ends while it is asked for is no fault: its UTXOs are not its own any more', async () => {
    const spent = new Set<string>();
    const stranger = { txid: aTxid(), block: { height: 7, hash: aHash() } };
    const on = await opened({
      outcome: (query, sending) => outcomeOf(sending, query),
      backend: {
        unspent: async ({ txid }) => (spent.has(txid) ? null : { height: 7, units: 600_000n }),
        place: async () => ({ state: 'unknown' }),
        spender: async () => (spent.size > 0 ? stranger : null),
      },
    });
    const [coin] = await on.fund(600_000n);
    const payouts = await on.order(500_000n);
    await on.step();
    await on.reserved(payouts);
    spent.add(coin!.txid);
    // It has read which batches are open when the other settles this one.
    const late = on.workerBehind({ ...OPEN_GATE, open: on.step });
    await late.step();
    expect(await on.stored(payouts)).toMatchObject([{ status: 'pending', held: { code: 'restored' } }]);
  });

  test('of which nothing is signed does not spend a UTXO that has left the chain since it was chosen', async () => {
    let away = true;
    const signed: string[] = [];
    const on = await opened({
      sign: (sign) => async (order) => {
        // The operator's policy halts everything for a while.
        if (away) throw new SigningRefused('the policy halts all signing', { lasting: false });
        signed.push(...order.inputs.map(({ txid }) => txid));
        return sign(order);
      },
    });
    const [first] = await on.fund(600_000n);
    const payouts = await on.order(500_000n);
    await on.step();
    expect(await on.free()).toEqual([]);
    // Meanwhile a reorganisation removes the coin's block, and another coin arrives.
    await on.deps.unitOfWork.run((r) => r.utxos.orphanAbove(CHAIN, 6));
    const [second] = await on.fund(700_000n);
    away = false;
    for (let step = 0; step < 3; step += 1) await on.step();
    expect(signed).not.toContain(first!.txid);
    expect(signed).toContain(second!.txid);
    expect((await on.stored(payouts)).map(({ status }) => status)).toEqual(['processing']);
  });

  test('that is over what the signer lets leave in a day loses what is over it, and the rest goes', async () => {
    const limit = 1_000_000n;
    const on = await opened({
      // As adapters/signer/order-rules.ts, checkHistory.
      sign: (sign) => async (order) => {
        const sum = order.payments.reduce((total, { units }) => total + units, 0n);
        if (sum <= limit) return sign(order);
        const upTo = (place: number) =>
          order.payments.slice(0, place + 1).reduce((total, { units }) => total + units, 0n);
        const over = order.payments.find((_, place) => upTo(place) > limit);
        throw new SigningRefused("the amount is over what is left of the policy's 0.01 BTC per 24 hours", {
          ...{ lasting: false, transferId: over!.transferId },
        });
      },
    });
    await on.fund(5_000_000n);
    const payouts = await on.order(300_000n, 300_000n, 300_000n, 300_000n);
    for (let step = 0; step < 10; step += 1) await on.step();
    const statuses = (await on.stored(payouts)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 'processing')).not.toEqual([]);
  });

  test('that waits for lower fees is not made anew in every step: rows would grow without end, and patience end', async () => {
    // The nodes take nothing below 30 satoshi a byte for hours; the operator pays 20 at most.
    const on = await opened({ ceiling: 20_000n, backend: ofRate(40_000n, 30_000n) });
    await on.fund(5_000_000n);
    const [payout] = await on.order(300_000n);
    for (let step = 0; step < 20; step += 1) await on.step();
    expect((await on.stored([payout!])).map(({ status, held }) => [status, held])).toEqual([
      ['pending', null],
    ]);
    expect(await on.batchesMade()).toBeLessThanOrEqual(2);
  });

  test('that the signer’s policy does not want (consolidations) gives its UTXOs back: payouts need them', async () => {
    const on = await opened({
      // As checkPolicy, with a policy that lists payouts alone.
      sign: (sign) => async (order) => {
        if (order.purpose === 'payout') return sign(order);
        throw new SigningRefused(`the policy lets nothing be signed for the purpose ${order.purpose}`, {
          lasting: false,
        });
      },
    });
    await on.fund(...Array.from({ length: 120 }, () => 50_000n));
    await on.step();
    await on.step();
    // More than the twenty UTXOs that are left.
    const payouts = await on.order(2_000_000n);
    for (let step = 0; step < 5; step += 1) await on.step();
    expect((await on.stored(payouts)).map(({ status }) => status)).toEqual(['processing']);
  });

  test('is not signed with a UTXO that the chain does not have (taken out with other software a week ago): others pay', async () => {
    const gone = new Set<string>();
    const signed: string[] = [];
    const on = await opened({
      backend: { unspent: async ({ txid }) => (gone.has(txid) ? null : { height: 7, units: 900_000n }) },
      sign: (sign) => async (order) => {
        signed.push(...order.inputs.map(({ txid }) => txid));
        return sign(order);
      },
    });
    const [taken, left] = await on.fund(600_000n, 900_000n);
    gone.add(taken!.txid);
    const payouts = await on.order(500_000n);
    for (let step = 0; step < 3; step += 1) await on.step();
    expect(signed).not.toContain(taken!.txid);
    expect(signed).toContain(left!.txid);
    expect((await on.stored(payouts)).map(({ status }) => status)).toEqual(['processing']);
  });
});
