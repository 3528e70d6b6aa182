/**
 * Orders of several payments and of coins: the signer's rules for them, its memory and its log
 * (safety.md, "Paid once").
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { heldFor } from '../../../src/domain/payouts/held.ts';
import type { OutgoingPurpose } from '../../../src/domain/sending/outgoing-purpose.ts';
import type { SigningOrder } from '../../../src/ports/sending/signer.ts';
import type { OrderRecords } from '../../../src/ports/sending/signing-records.ts';
import { aPayout } from '../../support/builders.ts';
import {
  BTC,
  type CoinSigning,
  coinOrder,
  HOT,
  input,
  limits,
  openCoinSigning,
  payment,
  replacing,
} from '../../support/chains/utxo-signing.ts';
import { anOutgoing } from '../../support/payouts/outgoing-builders.ts';

let signer: CoinSigning;
beforeEach(async () => {
  signer = await openCoinSigning();
});
afterEach(() => signer.close());

const paying = (...units: readonly bigint[]): SigningOrder =>
  coinOrder({ payments: units.map((each) => payment({ units: each })) });
/** Of UTXOs of ours to our own hot wallet. */
const own = (purpose: OutgoingPurpose, units: bigint): SigningOrder =>
  coinOrder({ purpose, payments: [payment({ to: HOT, toKey: { role: 'hot' }, units })] });

describe('an order of several payments', () => {
  test('is signed, and its line in the log has every payment and every input, in their order', async () => {
    const order = coinOrder({ payments: [payment({ to: 'Stranger A' }), payment(), payment()] });
    const { txid } = await signer.sign(order);
    const [entry, ...others] = await signer.logged();
    expect(others).toEqual([]);
    expect(entry).toEqual({
      at: signer.clock.now(),
      purpose: 'payout',
      chain: 'bitcoin',
      wallet: HOT,
      nonce: order.nonce,
      asset: BTC,
      payments: order.payments.map(({ transferId, referenceId, to, units }) => ({
        ...{ transferId, referenceId, units },
        to: to.toLowerCase(),
      })),
      inputs: order.inputs.map((spent) => `${spent.txid}:${spent.vout}`),
      voids: false,
      maxFeeUnits: 1_000n,
      txid,
      resendable: null,
    });
  });

  test('over the limit of a transaction is refused for the payment that is over it', async () => {
    signer.policy(limits({ transaction: 5_000n }));
    await signer.sign(paying(5_000n, 5_000n));
    const order = paying(4_000n, 5_001n, 1n);
    const { transferId, message } = await signer.refusal(order);
    expect(transferId).toBe(order.payments[1]!.transferId);
    expect(message).toContain('0.00005 BTC per transaction');
  });

  test('counts with the sum of its payments against the limit of a day, once, also after a restart', async () => {
    signer.policy(limits({ day: 10_000n }));
    const first = paying(3_000n, 4_000n);
    await signer.sign(first);
    await signer.sign(replacing(first));
    expect((await signer.refusal(paying(3_000n, 1n))).message).toContain('0.0001 BTC per 24 hours');
    await signer.restart();
    // Of several payments that are too much together the first that is over what is left: those
    // before it are not.
    const [several, single] = [paying(2_000n, 1_001n, 1n), paying(3_001n)];
    const { transferId: over } = several.payments[1]!;
    expect(await signer.refusal(several)).toMatchObject({ transferId: over, lasting: false });
    const { transferId } = await signer.refusal(single);
    expect(transferId).toBe(single.payments[0]!.transferId);
    await signer.sign(paying(2_000n, 1_000n));
    await signer.refusal(paying(1n));
    await signer.sign(replacing(first));
    signer.clock.advance(24 * 3_600);
    await signer.sign(paying(9_999n, 1n));
  });

  test('counts once against the limit of a day, also when it is signed again after it was made void', async () => {
    signer.policy(limits({ day: 10_000n }));
    const first = paying(6_000n);
    await signer.sign(first);
    await signer.sign(replacing(first, { voids: true }));
    await signer.sign(replacing(first));
    await signer.sign(paying(4_000n));
    await signer.refusal(paying(1n));
  });

  test('that names one transfer or one payout twice is refused: it would be paid twice', async () => {
    const once = payment();
    const again = payment();
    for (const payments of [
      [once, once],
      [once, again, { ...again, transferId: once.transferId }],
      [once, again, payment({ referenceId: once.referenceId })],
    ])
      await signer.refusal(coinOrder({ payments }));
    await signer.sign(coinOrder({ payments: [once, again] }));
  });

  test('without a payment is none', async () => {
    await signer.refusal(coinOrder({ payments: [] }));
  });
});

describe('a nonce that was signed', () => {
  test('is never signed with another first input: both could be mined', async () => {
    const order = coinOrder();
    const [first, second] = order.inputs;
    await signer.sign(order);
    // An operator decides: what was signed may be mined, so its payouts must not fail.
    for (const inputs of [[input(), second!], [second!, first!], [input({ ...first!, vout: 8 })], []])
      expect(await signer.refusal(replacing(order, { inputs }))).toMatchObject({
        message: expect.stringContaining('signed under another nonce'),
        ...{ lasting: false, transferId: order.payments[0]!.transferId },
      });
    await signer.restart();
    await signer.refusal(replacing(order, { inputs: [input(), second!] }));
    // What shares its first input can be mined once only, whatever else it spends.
    await signer.sign(replacing(order, { inputs: [first!] }));
    await signer.sign(replacing(order, { inputs: [first!, second!, input()] }));
  });

  test('is never signed for other payments, or more', async () => {
    const order = coinOrder();
    const [first, second] = order.payments;
    await signer.sign(order);
    await signer.restart();
    for (const payments of [
      [payment()],
      [first!, second!, payment()],
      [first!, { ...second!, units: second!.units + 1n }],
      [first!, { ...second!, to: 'thief' }],
      [{ ...first!, transferId: second!.transferId }],
    ])
      await signer.refusal(replacing(order, { payments }));
    await signer.sign(replacing(order));
    expect(await signer.logged()).toHaveLength(2);
  });

  test('is signed for fewer of its payments (one was given up meanwhile), as they were, with the same first input', async () => {
    const order = coinOrder();
    const [first, second] = order.payments;
    await signer.sign(order);
    await signer.restart();
    await signer.sign(replacing(order, { payments: [second!] }));
    await signer.sign(replacing(order, { payments: [first!] }));
    await signer.refusal(replacing(order, { payments: [second!], inputs: [input()] }));
    await signer.refusal(replacing(order, { payments: [{ ...second!, units: 1n }] }));
  });

  test('moves what is left of its coins to ourselves, whichever they are, when it was given up', async () => {
    const order = coinOrder();
    const [, second] = order.inputs;
    await signer.sign(order);
    await signer.sign(replacing(order, { voids: true, inputs: [second!] }));
    await signer.refusal(replacing(order, { inputs: [second!] }));
  });
});

describe('a payout that was signed', () => {
  test('is named when a batch of another nonce pays it again, and signed if the policy lists it', async () => {
    const paid = coinOrder();
    await signer.sign(paid);
    await signer.restart();
    const { referenceId } = paid.payments[1]!;
    const again = coinOrder({ payments: [payment(), payment({ referenceId }), payment()] });
    const { transferId, message } = await signer.refusal(again);
    expect(transferId).toBe(again.payments[1]!.transferId);
    expect(message).toContain('another nonce');
    signer.policy({ resign: new Set([referenceId]) });
    await signer.sign(again);
    signer.policy({});
    await signer.sign(replacing(again));
  });

  test('of two that were signed before, each must be listed', async () => {
    const paid = coinOrder();
    await signer.sign(paid);
    const again = coinOrder({ payments: paid.payments.map(({ referenceId }) => payment({ referenceId })) });
    const [first, second] = paid.payments;
    signer.policy({ resign: new Set([first!.referenceId]) });
    expect((await signer.refusal(again)).transferId).toBe(again.payments[1]!.transferId);
    signer.policy({ resign: new Set([first!.referenceId, second!.referenceId]) });
    await signer.sign(again);
  });
});

describe.each(['bump', 'consolidation'] as const)('a %s', (purpose) => {
  test('goes to our own hot wallet only, in the native coin, and leaves from it', async () => {
    await signer.sign(own(purpose, 9_000n));
    const order = own(purpose, 9_000n);
    for (const change of [
      { payments: [payment()] },
      { payments: [...order.payments, payment()] },
      { payments: [payment({ to: 'deposit 4', toKey: { role: 'deposit', index: 4 } })] },
      { payments: [payment({ to: 'change 4', toKey: { role: 'change', index: 4 } })] },
      { key: { role: 'deposit', index: 4 }, wallet: 'deposit 4' },
    ] as const)
      expect((await signer.refusal({ ...order, ...change })).lasting).toBe(true);
    signer.policy({ purposes: new Set(['payout']) });
    await signer.refusal(order);
  });

  test('is never signed with another first input under its sequence: both could be mined', async () => {
    const order = own(purpose, 9_000n);
    await signer.sign(order);
    await signer.refusal(replacing(order, { inputs: [input(), ...order.inputs] }));
    await signer.sign(replacing(order, { inputs: [...order.inputs, input()] }));
  });

  test('stays with us: no limit of amounts stops it, and it leaves the day its whole limit', async () => {
    signer.policy(limits({ transaction: 5_000n, day: 5_000n }));
    await signer.sign(own(purpose, 1_000_000n));
    await signer.sign(paying(5_000n));
    await signer.sign(own(purpose, 1_000_000n));
    await signer.refusal(paying(1n));
    await signer.restart();
    await signer.refusal(paying(1n));
    await signer.sign(own(purpose, 1_000_000n));
  });
});

describe('the records of a batch', () => {
  test('are asked for every payment, and the one to blame is named', async () => {
    const order = coinOrder({ payments: [payment(), payment(), payment()] });
    const { chain, wallet, nonce } = order;
    const stored = new Map<string, OrderRecords>(
      order.payments.map(({ transferId: id, referenceId, to, units }, position) => [
        id,
        {
          transfer: anOutgoing({ id, chain, wallet, nonce, referenceId, position, asset: BTC, to, units }),
          payout: aPayout({ id: referenceId, asset: BTC, address: to, sentUnits: units }),
          stopped: false,
        },
      ]),
    );
    const nothing = { transfer: null, payout: null, stopped: false };
    const checked = await openCoinSigning({
      of: async ({ transferId }) => stored.get(transferId) ?? nothing,
    });
    try {
      await checked.sign(order);
      const { transferId: last } = order.payments[2]!;
      const right = stored.get(last)!;
      const { transfer, payout } = right;
      for (const wrong of [
        nothing,
        { ...right, transfer: { ...transfer!, units: 1n } },
        { ...right, payout: { ...payout!, status: 'cancelled' as const } },
        { ...right, payout: { ...payout!, sentUnits: 1n } },
      ]) {
        stored.set(last, wrong);
        expect(await checked.refusal(replacing(order))).toMatchObject({ transferId: last, lasting: true });
      }
      stored.set(last, { ...right, payout: { ...payout!, held: heldFor('operator') } });
      expect(await checked.refusal(replacing(order))).toMatchObject({ lasting: false });
    } finally {
      await checked.close();
    }
  });
});
