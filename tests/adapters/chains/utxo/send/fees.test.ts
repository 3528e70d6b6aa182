/**
 * What payments with UTXOs cost: fee, change, replacements and ceilings to the unit, and dust by
 * type of output.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { payToPublicKeyHash, payToWitness } from '../../../../../src/adapters/chains/utxo/codec/address.ts';
import { dustLimit, virtualSize } from '../../../../../src/adapters/chains/utxo/codec/sizes.ts';
import { storedTransaction } from '../../../../../src/adapters/chains/utxo/codec/stored.ts';
import { utxoNetwork } from '../../../../../src/adapters/chains/utxo/network.ts';
import { prepare, priceOf } from '../../../../../src/adapters/chains/utxo/send/prepare.ts';
import { utxoSpending } from '../../../../../src/adapters/chains/utxo/send/spendable.ts';
import { UTXO_FAMILIES } from '../../../../../src/domain/catalog/family.ts';
import { coinsOf, ofRate, orderOf, stubSending } from '../../../../support/utxo/utxo-stub.ts';

const money = { name: 'SendingRefused', because: 'money' };
const fees = { name: 'SendingRefused', because: 'fees' };

/** P2WPKH: 10.5 of the transaction, 68 a coin, 31 an output. */
const oneInTwoOut = 141n;
const oneInOneOut = 110n;

describe('fee and change', () => {
  test('the fee is the rate times the size, rounded up, and the change takes the rest', async () => {
    const sending = await stubSending('bitcoin', [ofRate(12_345n)]);
    const { payload, maxFeeUnits } = await prepare(
      sending,
      orderOf(sending, coinsOf(1_000_000n), 400_000n),
      null,
    );
    expect(maxFeeUnits).toBe(1_741n);
    expect(storedTransaction(sending.network, payload).outputs.map(({ units }) => units)).toEqual([
      400_000n,
      1_000_000n - 400_000n - 1_741n,
    ]);
    expect(virtualSize(sending.network, 1, [new Uint8Array(22), new Uint8Array(22)])).toBe(oneInTwoOut);
  });

  test('change below dust, or below what it costs to spend, is left to the miners', async () => {
    for (const [rate, least] of [
      [1_000n, 294n],
      [20_000n, 1_360n],
    ] as const) {
      const sending = await stubSending('bitcoin', [ofRate(rate)]);
      const fee = (rate * oneInTwoOut) / 1_000n;
      const prepared = (change: bigint) =>
        prepare(sending, orderOf(sending, coinsOf(400_000n + fee + change), 400_000n), null);
      expect((await prepared(least)).maxFeeUnits).toBe(fee);
      expect((await prepared(least - 1n)).maxFeeUnits).toBe(fee + least - 1n);
    }
  });

  test('without change the fee may be a quarter below the present rate, but never below what is relayed', async () => {
    const paid = (rate: bigint, fee: bigint) =>
      stubSending('bitcoin', [ofRate(rate)]).then((sending) =>
        prepare(sending, orderOf(sending, coinsOf(400_000n + fee), 400_000n), null),
      );
    expect((await paid(8_000n, 660n)).maxFeeUnits).toBe(660n);
    await expect(paid(8_000n, 659n)).rejects.toMatchObject(money);
    expect((await paid(1_000n, oneInOneOut)).maxFeeUnits).toBe(oneInOneOut);
    await expect(paid(1_000n, oneInOneOut - 1n)).rejects.toMatchObject(money);
  });

  test('what goes to the wallet itself takes all but its fee, which was chosen before and need only be relayed', async () => {
    const sending = await stubSending('bitcoin', [ofRate(20_000n)]);
    const own = (fee: bigint) => {
      const order = orderOf(sending, coinsOf(300_000n, 100_000n), 400_000n - fee);
      const payments = order.payments.map(({ units }) => ({ to: order.wallet, units }));
      return prepare(sending, { ...order, payments }, null);
    };
    // a child's fee is far above its own rate, and still no change is given
    const { payload, maxFeeUnits } = await own(90_000n);
    expect(maxFeeUnits).toBe(90_000n);
    expect(storedTransaction(sending.network, payload).outputs.length).toBe(1);
    expect((await own(178n)).maxFeeUnits).toBe(178n);
    await expect(own(177n)).rejects.toMatchObject(money);
  });

  test('rates are held between floor and ceiling; above the ceiling nodes take nothing, and it is said', async () => {
    const rateOf = async (rate: bigint | null, minimum: bigint, ceiling: bigint | null) => {
      const policy = { fees: { floor: 3_000n, ceiling } };
      return utxoSpending(await stubSending('bitcoin', [ofRate(rate, minimum)], policy)).feeRate();
    };
    expect(await rateOf(null, 1_000n, null)).toBe(3_000n);
    expect(await rateOf(7_000n, 1_000n, null)).toBe(7_000n);
    expect(await rateOf(7_000n, 9_000n, null)).toBe(9_000n);
    expect(await rateOf(7_000n, 1_000n, 5_000n)).toBe(5_000n);
    const low = { fees: { floor: 1_000n, ceiling: 5_000n } };
    const full = await stubSending('bitcoin', [ofRate(9_000n, 6_000n)], low);
    await expect(prepare(full, orderOf(full, coinsOf(10n ** 8n), 10_000n), null)).rejects.toMatchObject(fees);
    const wild = await stubSending('bitcoin', [ofRate(50_000_000n)]);
    await expect(prepare(wild, orderOf(wild, coinsOf(10n ** 8n), 10_000n), null)).rejects.toMatchObject(fees);
  });

  test('the price of a payment is that of one by itself, and at most that of one of two coins at twice the rate', async () => {
    const sending = await stubSending('bitcoin', [ofRate(10_000n)]);
    // 10.5 + 68 + 2 * 31 = 141; 10.5 + 2 * 68 + 2 * 31 = 209
    expect(await priceOf(sending, { to: null })).toEqual({ expectedUnits: 1_410n, maxUnits: 4_180n });
  });
});

describe('replacements', () => {
  test('they pay a tenth more for a byte, a relay step more in all, and the present rate, out of the change', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.bigInt({ min: 1_000n, max: 100_000n }),
        fc.bigInt({ min: 1_000n, max: 100_000n }),
        fc.bigInt({ min: 0n, max: 60_000n }),
        async (rate, later, spare) => {
          const first = await stubSending('bitcoin', [ofRate(rate)]);
          const inputs = coinsOf(400_000n + (rate * oneInTwoOut) / 1_000n + 1n + spare);
          const order = orderOf(first, inputs, 400_000n);
          const original = await prepare(first, order, null);
          const sending = await stubSending('bitcoin', [ofRate(later)]);
          const replaces = { raw: original.payload };
          const next = await prepare(sending, order, replaces).catch((error: Error) => error);
          // One that offers three times the present price waits for something else.
          const { virtualSize: before } = storedTransaction(first.network, original.payload);
          if (original.maxFeeUnits >= 3n * ((later * before + 999n) / 1_000n)) {
            expect(next).toMatchObject({ name: 'SendingRefused', because: 'enough' });
            return;
          }
          if (next instanceof Error) {
            expect(next).toMatchObject(money);
            return;
          }
          const outputs = storedTransaction(first.network, next.payload).outputs;
          const size = outputs.length === 2 ? oneInTwoOut : oneInOneOut;
          expect(next.maxFeeUnits - original.maxFeeUnits).toBeGreaterThanOrEqual(size);
          expect(next.maxFeeUnits * 1_000n).toBeGreaterThanOrEqual(later * size);
          expect(outputs[0]!.units).toBe(400_000n);
          expect(next.maxFeeUnits * before * 10n).toBeGreaterThanOrEqual(original.maxFeeUnits * size * 11n);
        },
      ),
    );
  });

  test('the change of chosen coins pays for two of them', async () => {
    const market = ofRate(1_000n);
    const sending = await stubSending('bitcoin', [market]);
    const utxos = utxoSpending(sending);
    const payments = orderOf(sending, [], 400_000n).payments;
    const change = 294n + 2n * oneInTwoOut;
    const [tight, enough] = coinsOf(
      400_000n + oneInTwoOut + change - 1n,
      400_000n + oneInTwoOut + change,
    ) as [ReturnType<typeof coinsOf>[0], ReturnType<typeof coinsOf>[0]];
    expect(utxos.choose({ utxos: [tight, enough], payments, feeRate: 1_000n })).toEqual([enough]);
    let last = await prepare(sending, { ...orderOf(sending, [enough], 400_000n) }, null);
    for (let replacements = 0; replacements < 2; replacements++)
      last = await prepare(sending, orderOf(sending, [enough], 400_000n), { raw: last.payload });
    expect(storedTransaction(sending.network, last.payload).outputs.length).toBe(2);
  });

  test('above the ceiling there are none', async () => {
    const sending = await stubSending('bitcoin', [ofRate(5_000n)], {
      fees: { floor: 1_000n, ceiling: 5_400n },
    });
    const order = orderOf(sending, coinsOf(10n ** 6n), 400_000n);
    const original = await prepare(sending, order, null);
    await expect(prepare(sending, order, { raw: original.payload })).rejects.toMatchObject(fees);
  });
});

describe('chosen coins', () => {
  for (const family of UTXO_FAMILIES)
    test(`${family}: whatever is chosen can be prepared at that rate, with change that is no dust`, async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.bigInt({ min: 500n, max: 300_000n }), { minLength: 1, maxLength: 25 }),
          fc.array(fc.bigInt({ min: 6_000n, max: 200_000n }), { minLength: 1, maxLength: 4 }),
          fc.bigInt({ min: 1_000n, max: 90_000n }),
          async (have, pay, feeRate) => {
            const sending = await stubSending(family, [ofRate(feeRate)]);
            const order = orderOf(sending, coinsOf(...have), ...pay);
            const { payments } = order;
            const chosen = utxoSpending(sending).choose({ utxos: order.inputs, payments, feeRate });
            if (chosen === null) return;
            const { payload, maxFeeUnits } = await prepare(sending, { ...order, inputs: chosen }, null);
            const { outputs } = storedTransaction(sending.network, payload);
            const scripts = outputs.map(({ script }) => script);
            const size = virtualSize(sending.network, chosen.length, scripts);
            expect(maxFeeUnits * 1_000n).toBeGreaterThanOrEqual(feeRate * size);
            for (const { units, script } of outputs.slice(pay.length))
              expect(units).toBeGreaterThanOrEqual(dustLimit(sending.network, script));
          },
        ),
      );
    });
});

test('dust is what each chain calls so, for every type of output', () => {
  const p2sh = Uint8Array.of(0xa9, 20, ...new Uint8Array(20), 0x87);
  const types = {
    p2wpkh: payToWitness(0, new Uint8Array(20)),
    p2wsh: payToWitness(0, new Uint8Array(32)),
    p2tr: payToWitness(1, new Uint8Array(32)),
    p2sh,
    p2pkh: payToPublicKeyHash(new Uint8Array(20)),
  };
  const limits = (family: (typeof UTXO_FAMILIES)[number]) =>
    Object.values(types).map((script) => dustLimit(utxoNetwork(family, 'main'), script));
  expect(limits('bitcoin')).toEqual([294n, 330n, 330n, 540n, 546n]);
  expect(limits('litecoin')).toEqual([2_940n, 3_300n, 3_300n, 5_400n, 5_460n]);
  expect(limits('bitcoincash').slice(3)).toEqual([540n, 546n]);
});
