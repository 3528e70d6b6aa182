/**
 * The signer of UTXOs signs what the order says and nothing else: everything that a payload could
 * do besides is refused.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { scriptOf } from '../../../../../src/adapters/chains/utxo/codec/address.ts';
import {
  NOT_REPLACEABLE,
  REPLACEABLE,
  type UnsignedOutput,
} from '../../../../../src/adapters/chains/utxo/codec/unsigned.ts';
import type { SigningInput, SigningOrder } from '../../../../../src/ports/sending/signer.ts';
import { aDraft, orderOf, signingCase, TERMS, withPayload } from '../../../../support/utxo/utxo-orders.ts';

const FEE = 1_000n;
const INPUTS: readonly [SigningInput, SigningInput] = [
  { txid: 'aa'.repeat(32), vout: 0, key: { role: 'hot' }, units: 600_000n },
  { txid: 'bb'.repeat(32), vout: 7, key: { role: 'deposit', index: 3 }, units: 500_000n },
];

for (const family of ['bitcoin', 'litecoin', 'bitcoincash'] as const)
  describe(`payloads of ${family}`, () => {
    const on = signingCase(family);
    const script = async (role: 'deposit' | 'change', index: number): Promise<Uint8Array> =>
      scriptOf(on.network, await on.signing.addressOf({ role, index }))!;

    /** Pays 400,000 and 300,000 with 1,100,000, and gives change at nonce 4. */
    async function honest() {
      const payments = await Promise.all(
        [400_000n, 300_000n].map(async (units, index) => ({
          transferId: `transfer-${index}`,
          referenceId: `payout-${index}`,
          to: await on.signing.addressOf({ role: 'deposit', index: 100 + index }),
          toKey: null,
          units,
        })),
      );
      const order: Omit<SigningOrder, 'payload'> = {
        chain: family,
        key: { role: 'hot' },
        wallet: await on.signing.addressOf({ role: 'hot' }),
        nonce: 4n,
        purpose: 'payout',
        asset: family,
        payments,
        feePayer: null,
        validUntil: null,
        replaces: null,
        inputs: INPUTS,
        voids: false,
      };
      const outputs: UnsignedOutput[] = payments.map(({ to, units }) => ({
        script: scriptOf(on.network, to)!,
        units,
      }));
      const change = { script: await script('change', 5), units: 400_000n - FEE };
      return { order, outputs, change };
    }

    async function refused(order: SigningOrder, words: RegExp, terms = TERMS): Promise<void> {
      await expect(on.signing.check(order, terms)).rejects.toMatchObject({
        name: 'SigningRefused',
        message: expect.stringMatching(words),
      });
    }

    test('one that does what the order says costs what is left, with change and without', async () => {
      const { order, outputs, change } = await honest();
      const signed = await withPayload(REPLACEABLE, [...outputs, change], order);
      expect(await on.signing.check(signed, TERMS)).toEqual({ maxFeeUnits: FEE });
      const exact = { ...order, inputs: [INPUTS[0], { ...INPUTS[1], units: 102_000n }] };
      const without = await withPayload(NOT_REPLACEABLE, outputs, exact);
      expect(await on.signing.check(without, TERMS)).toEqual({ maxFeeUnits: 2_000n });
    });

    test('other recipients, amounts, orders of payments and outputs besides are refused, naming the payment', async () => {
      const { order, outputs, change } = await honest();
      const [first, second] = outputs as [UnsignedOutput, UnsignedOutput];
      const stranger = { script: await script('deposit', 9), units: first.units };
      const cases: [readonly UnsignedOutput[], RegExp, string | null][] = [
        [[stranger, second, change], /recipient/, 'transfer-0'],
        [[second, first, change], /recipient/, 'transfer-0'],
        [[first, { ...second, units: second.units + 1n }, change], /amount/, 'transfer-1'],
        [[first], /recipient/, 'transfer-1'],
        [[first, second, { ...stranger, units: 1n }], /change goes/, null],
        [[first, second, { ...change, script: await script('change', 4) }], /change goes/, null],
        [[first, second, change, { ...stranger, units: 1n }], /additional recipient/, null],
        [[change, first, second], /recipient/, 'transfer-0'],
      ];
      for (const [changed, words, transferId] of cases) {
        const wrong = await withPayload(REPLACEABLE, changed, order);
        await refused(wrong, words);
        await expect(on.signing.check(wrong, TERMS)).rejects.toMatchObject({ transferId });
      }
    });

    test('coins that the order does not name, in its order and once, are refused', async () => {
      const { order, outputs, change } = await honest();
      const [one, other] = INPUTS;
      for (const inputs of [
        [one],
        [other, one],
        [one, { ...other, vout: 8 }],
        [one, other, { ...other, txid: 'cc'.repeat(32) }],
      ]) {
        const { payload } = await withPayload(REPLACEABLE, [...outputs, change], { ...order, inputs });
        await refused({ ...order, payload }, /does not spend the order's UTXOs/);
      }
      const twice = { ...order, inputs: [one, one] };
      await refused(await withPayload(REPLACEABLE, [...outputs, change], twice), /twice/);
      const nothing = { ...order, inputs: [one, { ...other, units: 0n }] };
      await refused(await withPayload(REPLACEABLE, [...outputs, change], nothing), /UTXO without value/);
    });

    test('a fee that is none, or above reason, is refused; the latter only for now', async () => {
      const { order, outputs, change } = await honest();
      const more = { ...change, units: change.units + FEE };
      await refused(await withPayload(REPLACEABLE, [...outputs, more], order), /no fee/);
      const rich = [{ ...INPUTS[0], units: 600_000_000n }, INPUTS[1]];
      const without = await withPayload(REPLACEABLE, outputs, { ...order, inputs: rich });
      await refused(without, /sanity limit/);
      await expect(on.signing.check(without, TERMS)).rejects.toMatchObject({ lasting: false });
    });

    test('another version, lock time or sequence, a script or witness in it, and what is no transaction are refused', async () => {
      const { order, outputs, change } = await honest();
      const signed = await withPayload(REPLACEABLE, [...outputs, change], order);
      const { payload } = signed;
      const changed = (at: number, hex: string): string =>
        payload.slice(0, at) + hex + payload.slice(at + hex.length);
      const sequenceAt = payload.indexOf('fdffffff');
      for (const text of [
        changed(0, '01'),
        changed(payload.length - 8, '01'),
        changed(sequenceAt, 'ff'),
        changed(sequenceAt, '00'),
        `${payload.slice(0, sequenceAt - 2)}0151${payload.slice(sequenceAt)}`,
        (await on.signing.sign(signed)).raw,
      ])
        await refused({ ...order, payload: text }, /version, lock time, sequence or script/);
      for (const text of ['', 'xyz', payload.toUpperCase(), payload.slice(2), `${payload}00`, `0x${payload}`])
        await refused({ ...order, payload: text }, /no unsigned transaction/);
    });

    test('one that moves nothing brings all back as change of its sequence, less a fee, and pays nobody', async () => {
      const honestly = await honest();
      const { outputs, change } = honestly;
      const order = { ...honestly.order, voids: true };
      const all = { ...change, units: 0n };
      all.units = INPUTS.reduce((sum, { units }) => sum + units, -FEE);
      const { maxFeeUnits } = await on.signing.check(await withPayload(REPLACEABLE, [all], order), TERMS);
      expect(maxFeeUnits).toBe(FEE);
      await refused(await withPayload(REPLACEABLE, [...outputs, change], order), /additional recipient/);
      const [paid] = outputs as [typeof change];
      await refused(await withPayload(REPLACEABLE, [{ ...all, script: paid.script }], order), /change goes/);
      await refused(await withPayload(REPLACEABLE, [], order), /no change returns/);
    });

    test('tokens, empty orders, foreign addresses and nonces beyond the keys are refused', async () => {
      const { order, outputs, change } = await honest();
      const signed = await withPayload(REPLACEABLE, [...outputs, change], order);
      await expect(on.signing.check(signed, { ...TERMS, contract: 'token' })).rejects.toThrow(/own coin/);
      await refused({ ...signed, payments: [] }, /no payment or no UTXO/);
      await refused({ ...signed, inputs: [] }, /no payment or no UTXO/);
      await refused({ ...signed, nonce: 2n ** 31n }, /nonce is out of range/);
      await refused({ ...signed, nonce: 5n }, /change goes/);
      const [first, second] = order.payments as [SigningOrder['payments'][0], SigningOrder['payments'][0]];
      const foreign = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
      await refused(
        { ...signed, payments: [first, { ...second, to: foreign }] },
        /invalid address or amount/,
      );
      await refused({ ...signed, payments: [first, { ...second, units: 0n }] }, /invalid address or amount/);
    });

    test('no bit of a payload can be changed but in the amount of the change, whose difference is fee', async () => {
      const flip = fc.record({ draft: aDraft, place: fc.nat(), bit: fc.integer({ min: 0, max: 7 }) });
      const changeScriptBytes = on.network.bech32 === null ? 25 : 22;
      await fc.assert(
        fc.asyncProperty(flip, async ({ draft, place, bit }) => {
          const order = await orderOf(on, draft);
          const { maxFeeUnits } = await on.signing.check(order, TERMS);
          const bytes = Buffer.from(order.payload, 'hex');
          const at = place % bytes.length;
          bytes[at] = bytes[at]! ^ (1 << bit);
          const payload = bytes.toString('hex');
          const outcome = await on.signing.check({ ...order, payload }, TERMS).catch((error: Error) => error);
          if (outcome instanceof Error) return expect(outcome.name).toBe('SigningRefused');
          const afterAmount = bytes.length - 4 - changeScriptBytes - 1;
          expect(draft.hasChange && at >= afterAmount - 8 && at < afterAmount).toBe(true);
          expect(outcome.maxFeeUnits).not.toBe(maxFeeUnits);
        }),
        { numRuns: 150 },
      );
    });
  });
