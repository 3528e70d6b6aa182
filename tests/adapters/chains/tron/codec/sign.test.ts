/**
 * The Tron signer's reading of what it signs: every field of the payload against the order, and
 * keys that are tronweb's.
 */
import { describe, expect, test } from 'bun:test';
import { tronSigning } from '../../../../../src/adapters/chains/tron/codec/sign.ts';
import {
  storedTransaction,
  type TronAction,
  type TronTransaction,
  writeTransaction,
} from '../../../../../src/adapters/chains/tron/codec/transaction.ts';
import { tronDeriver } from '../../../../../src/adapters/chains/tron/deriver.ts';
import { expirationAfter } from '../../../../../src/adapters/chains/tron/send/lifetime.ts';
import { publicKeysOf } from '../../../../../src/adapters/signer/keystore.ts';
import type { SigningOrder } from '../../../../../src/ports/sending/signer.ts';
import { TronWeb } from '../../../../support/tron/tronweb.ts';
import { type Change, changed, signingOrder } from '../../../../support/utxo/lone-orders.ts';

const WORDS = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const TO = 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7';
const NOW = 1_790_000_000_000n;
const EXPIRATION = expirationAfter(NOW, 41n);
const signing = tronSigning({ mnemonic: async () => WORDS });
const wallet = await signing.addressOf({ role: 'hot' });

const coin: TronAction = { kind: 'coin', to: TO, units: 5_000_000n };
const token: TronAction = { kind: 'token', contract: USDT, to: TO, units: 5_000_000n };

function transactionOf(change: Partial<TronTransaction> = {}): TronTransaction {
  return {
    owner: wallet,
    action: coin,
    reference: { height: '0a1b', hash: '1122334455667788' },
    expiration: EXPIRATION,
    timestamp: NOW,
    feeLimit: 0n,
    ...change,
  };
}

function orderOf(transaction: TronTransaction, change: Change<SigningOrder> = {}): SigningOrder {
  const order = signingOrder({
    chain: 'tron',
    key: { role: 'hot' },
    wallet,
    nonce: 41n,
    purpose: 'payout',
    asset: transaction.action.kind === 'token' ? 'usdt_tron' : 'trx_tron',
    transferId: 'transfer',
    referenceId: 'payout',
    to: TO,
    toKey: null,
    units: 5_000_000n,
    voids: false,
    payload: writeTransaction(transaction),
    validUntil: EXPIRATION,
  });
  return changed(order, change);
}

const termsOf = (contract: string | null) => ({ chainId: null, contract, decimals: 6 });
const checked = (
  transaction: TronTransaction,
  change: Change<SigningOrder> = {},
  contract: string | null = null,
) => signing.check(orderOf(transaction, change), termsOf(contract));

describe('signing on Tron', () => {
  test('keys are those of the deriver and of tronweb', async () => {
    const { tron } = await publicKeysOf(WORDS);
    const deriver = tronDeriver({ accountXpub: tron.xpub });
    expect(wallet).toBe(deriver.hotWallet()!);
    for (const index of [0, 7, 2 ** 31 - 1]) {
      const [address = ''] = deriver.derive({ from: index, count: 1 });
      expect(await signing.addressOf({ role: 'deposit', index })).toBe(address);
      expect(address).toBe(TronWeb.fromMnemonic(WORDS, `m/44'/195'/0'/0/${index}`).address);
    }
    for (const index of [-1, 0.5, 2 ** 31])
      await expect(signing.addressOf({ role: 'deposit', index })).rejects.toThrow(RangeError);
    await expect(signing.addressOf({ role: 'change', index: 1 })).rejects.toThrow(RangeError);
  });

  test('what the order says is signed, the same every time, and costs at most what is told', async () => {
    expect(await checked(transactionOf())).toEqual({ maxFeeUnits: 1_100_000n });
    const paying = transactionOf({ action: token, feeLimit: 20_000_000n });
    const { maxFeeUnits } = await checked(paying, {}, USDT);
    expect(maxFeeUnits).toBeGreaterThan(20_300_000n);
    expect(maxFeeUnits).toBeLessThan(20_400_000n);
    const signed = await signing.sign(orderOf(paying));
    expect(await signing.sign(orderOf(paying))).toEqual(signed);
    expect(storedTransaction(signed.raw)).toEqual({ ...paying, txid: signed.txid });
  });

  const other = 'TCLBgkbfVkJroVBJVqBEsxtPNQEQMTQCLQ';
  const wrong: readonly (readonly [string, TronTransaction, Change<SigningOrder>, string | null, RegExp])[] =
    [
      ['the payload of another wallet', transactionOf({ owner: other }), {}, null, /of another wallet/],
      ['another recipient', transactionOf({ action: { ...coin, to: other } }), {}, null, /recipient/],
      ['another amount', transactionOf({ action: { ...coin, units: 1n } }), {}, null, /another amount/],
      ['the coin for a token', transactionOf(), {}, USDT, /asset/],
      ['a token for the coin', transactionOf({ action: token }), {}, null, /asset/],
      ['another token', transactionOf({ action: { ...token, contract: other } }), {}, USDT, /asset/],
      [
        'another expiration',
        transactionOf({ expiration: EXPIRATION + 1n }),
        {},
        null,
        /expires at another time/,
      ],
      ['no expiration in the order', transactionOf(), { validUntil: null }, null, /expires at another time/],
      ['another nonce', transactionOf(), { nonce: 42n }, null, /another nonce/],
      ['a transaction that voids', transactionOf(), { voids: true }, null, /voided/],
      ['another fee payer', transactionOf(), { feePayer: other }, null, /no separate fee payer/],
      ['no payment', transactionOf(), { payments: [] }, null, /not for one payment/],
      [
        'energy lent instead',
        transactionOf({ action: { kind: 'lend_energy', to: TO, units: 5_000_000n } }),
        {},
        null,
        /asset/,
      ],
    ];
  for (const [what, transaction, change, contract, reason] of wrong)
    test(`${what} is refused`, async () => {
      await expect(checked(transaction, change, contract)).rejects.toThrow(reason);
    });

  test('energy is lent and taken back where the order says so, to deposit addresses of ours only', async () => {
    const lending = transactionOf({ action: { kind: 'lend_energy', to: TO, units: 5_000_000n } });
    const back = transactionOf({ action: { kind: 'take_energy_back', to: TO, units: 5_000_000n } });
    const toKey = { role: 'deposit', index: 7 } as const;
    expect((await checked(lending, { delegates: 'energy', toKey })).maxFeeUnits).toBeLessThan(400_000n);
    expect((await checked(back, { delegates: 'energy_back', toKey })).maxFeeUnits).toBeLessThan(400_000n);
    await expect(checked(back, { delegates: 'energy', toKey })).rejects.toThrow(/asset/);
    await expect(checked(transactionOf(), { delegates: 'energy', toKey })).rejects.toThrow(/asset/);
    await expect(checked(lending, { delegates: 'energy' })).rejects.toThrow(/our own deposit addresses/);
    const sweepKey = { key: { role: 'deposit', index: 7 } } as const;
    await expect(checked(lending, { delegates: 'energy', toKey, ...sweepKey })).rejects.toThrow(
      /our own deposit/,
    );
  });

  test('two payments, inputs and bytes that cannot be read are refused', async () => {
    const order = orderOf(transactionOf());
    const twice = { ...order, payments: [order.payments[0]!, order.payments[0]!] };
    await expect(signing.check(twice, termsOf(null))).rejects.toThrow('not for one payment');
    const inputs = [{ txid: '00', vout: 0, key: { role: 'hot' }, units: 1n } as const];
    await expect(signing.check({ ...order, inputs }, termsOf(null))).rejects.toThrow('not for one payment');
    await expect(signing.check({ ...order, payload: `${order.payload}00` }, termsOf(null))).rejects.toThrow(
      'no unsigned transaction',
    );
  });

  test('words that cannot be read are asked for again', async () => {
    let asked = 0;
    const flaky = tronSigning({
      mnemonic: async () => {
        asked += 1;
        if (asked === 1) throw new Error('locked');
        return WORDS;
      },
    });
    await expect(flaky.addressOf({ role: 'hot' })).rejects.toThrow('locked');
    expect(await flaky.addressOf({ role: 'hot' })).toBe(wallet);
  });

  test('an expiration is at least ten minutes on, at most eleven and a bit, and tells the nonce', () => {
    for (const now of [NOW, NOW + 1n, NOW + 65_535n, NOW + 65_536n])
      for (const nonce of [0n, 1n, 65_535n, 65_536n, 2n ** 52n + 3n]) {
        const life = expirationAfter(now, nonce) - now;
        expect(life).toBeGreaterThanOrEqual(600_000n);
        expect(life).toBeLessThan(600_000n + 65_536n);
        expect(expirationAfter(now, nonce) % 65_536n).toBe(nonce % 65_536n);
      }
  });
});
