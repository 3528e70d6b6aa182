/**
 * Signatures of UTXOs: byte for byte those of bitcoinjs-lib, and good before libauth's machine of
 * Bitcoin Cash.
 */
import { describe, expect, test } from 'bun:test';
import { pbkdf2Sync } from 'node:crypto';
import { assertSuccess, createVirtualMachineBCH, decodeTransactionBCH } from '@bitauth/libauth';
import type { BIP32Interface } from 'bip32';
import { Psbt, Transaction } from 'bitcoinjs-lib';
import fc from 'fast-check';
import { ownScript } from '../../../../../src/adapters/chains/utxo/codec/own-script.ts';
import { virtualSize } from '../../../../../src/adapters/chains/utxo/codec/sizes.ts';
import { storedTransaction } from '../../../../../src/adapters/chains/utxo/codec/stored.ts';
import { utxoDeriver } from '../../../../../src/adapters/chains/utxo/deriver.ts';
import { publicKeysOf } from '../../../../../src/adapters/signer/keystore.ts';
import { UTXO_FAMILIES } from '../../../../../src/domain/catalog/family.ts';
import type { SigningOrder, WalletKey } from '../../../../../src/ports/sending/signer.ts';
import { bip32 } from '../../../../support/utxo/utxo-oracles.ts';
import {
  aDraft,
  orderOf,
  PHRASE,
  type SigningCase,
  signingCase,
  TERMS,
} from '../../../../support/utxo/utxo-orders.ts';

const ROOT = bip32.fromSeed(pbkdf2Sync(PHRASE, 'mnemonic', 2048, 64, 'sha512'));

function nodeOf({ network }: SigningCase, key: WalletKey): BIP32Interface {
  const account = ROOT.derivePath(network.accountPath);
  return key.role === 'hot'
    ? account.derivePath('1/0')
    : account.derive(key.role === 'deposit' ? 0 : 1).derive(key.index);
}

/** What bitcoinjs-lib makes of the payload, given the order's amounts and the keys. */
function signedByOracle(on: SigningCase, order: SigningOrder): { raw: string; txid: string } {
  const unsigned = Transaction.fromHex(order.payload);
  const psbt = new Psbt();
  psbt.setVersion(unsigned.version);
  psbt.setLocktime(unsigned.locktime);
  for (const [index, { txid, vout, key, units }] of order.inputs.entries()) {
    const script = ownScript(on.network, nodeOf(on, key).publicKey);
    const { sequence } = unsigned.ins[index]!;
    psbt.addInput({ hash: txid, index: vout, sequence, witnessUtxo: { script, value: units } });
  }
  for (const { script, value } of unsigned.outs) psbt.addOutput({ script, value });
  for (const [index, { key }] of order.inputs.entries()) psbt.signInput(index, nodeOf(on, key));
  psbt.finalizeAllInputs();
  const signed = psbt.extractTransaction(true);
  return { raw: signed.toHex(), txid: signed.getId() };
}

test('keys are those of the addresses that are given out, and indexes that there cannot be are refused', async () => {
  for (const family of UTXO_FAMILIES) {
    const { network, signing } = signingCase(family);
    const deriver = utxoDeriver({ network, accountXpub: (await publicKeysOf(PHRASE))[family].xpub });
    expect(await signing.addressOf({ role: 'hot' })).toBe(deriver.hotWallet() ?? '');
    expect(await signing.addressOf({ role: 'deposit', index: 41 })).toBe(
      deriver.derive({ from: 41, count: 1 })[0]!,
    );
    expect(await signing.addressOf({ role: 'change', index: 7 })).toBe(deriver.changeAddress(7));
    // index 0 of the change branch is the hot wallet's
    for (const index of [0, -1, 1.5, 2 ** 31])
      await expect(signing.addressOf({ role: 'change', index })).rejects.toThrow(RangeError);
    await expect(signing.addressOf({ role: 'deposit', index: 2 ** 31 })).rejects.toThrow(RangeError);
  }
});

for (const family of ['bitcoin', 'litecoin'] as const)
  test(`${family}: transactions signed are those that bitcoinjs-lib signs, to the last byte`, async () => {
    const on = signingCase(family);
    await fc.assert(
      fc.asyncProperty(aDraft, async (draft) => {
        const order = await orderOf(on, draft);
        await on.signing.check(order, TERMS);
        expect(await on.signing.sign(order)).toEqual(signedByOracle(on, order));
      }),
      { numRuns: 120 },
    );
  });

describe('bitcoincash', () => {
  const on = signingCase('bitcoincash');
  const machine = createVirtualMachineBCH(true);

  /** True, or what the machine objects to. */
  function verdict(order: SigningOrder, raw: string): boolean | string {
    const sourceOutputs = order.inputs.map(({ key, units }) => ({
      lockingBytecode: ownScript(on.network, nodeOf(on, key).publicKey),
      valueSatoshis: units,
    }));
    // a plain array: libauth reverses hashes in place in what a Buffer's slice shares
    const bytes = Uint8Array.from(Buffer.from(raw, 'hex'));
    const transaction = assertSuccess(decodeTransactionBCH(bytes));
    return machine.verify({ sourceOutputs, transaction });
  }

  test('transactions signed are valid, and are not when an amount is another', async () => {
    await fc.assert(
      fc.asyncProperty(aDraft, async (draft) => {
        const order = await orderOf(on, draft);
        await on.signing.check(order, TERMS);
        const { raw, txid } = await on.signing.sign(order);
        expect(verdict(order, raw)).toBe(true);
        expect(storedTransaction(on.network, raw).txid).toBe(txid);
        const inputs = order.inputs.map((input) => ({ ...input, units: input.units + 1n }));
        expect(verdict({ ...order, inputs }, raw)).not.toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});

for (const family of ['bitcoin', 'litecoin', 'bitcoincash'] as const)
  test(`${family}: the size that a fee is reckoned by is never below the real one, nor far above`, async () => {
    const on = signingCase(family);
    await fc.assert(
      fc.asyncProperty(aDraft, async (draft) => {
        const order = await orderOf(on, draft);
        const { raw } = await on.signing.sign(order);
        const { virtualSize: real, outputs } = storedTransaction(on.network, raw);
        if (family !== 'bitcoincash') expect(real).toBe(BigInt(Transaction.fromHex(raw).virtualSize()));
        const scripts = outputs.map(({ script }) => script);
        const reckoned = virtualSize(on.network, order.inputs.length, scripts);
        expect(reckoned).toBeGreaterThanOrEqual(real);
        // a signature is a byte or two shorter at times, and each shorter one a rarity
        expect(reckoned - real).toBeLessThanOrEqual(3n * BigInt(order.inputs.length));
      }),
      { numRuns: 40 },
    );
  });
