/**
 * The signer's family check on Solana: what the payload says must be what the order says, field by
 * field and to the last byte.
 */
import { describe, expect, test } from 'bun:test';
import { Message, TransactionMessage } from '@solana/web3.js';
import {
  closeAccount,
  computeBudget,
  transferLamports,
} from '../../../../../src/adapters/chains/solana/codec/instructions.ts';
import type { SolanaPayment } from '../../../../../src/adapters/chains/solana/codec/payment.ts';
import { tagOf, writeUnsigned } from '../../../../../src/adapters/chains/solana/codec/transaction.ts';
import {
  associatedAccount,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '../../../../../src/adapters/chains/solana/programs.ts';
import { type SigningOrder, SigningRefused } from '../../../../../src/ports/sending/signer.ts';
import { testWallet } from '../../../../support/solana/wallet.ts';
import { type Change, changed, signingOrder } from '../../../../support/utxo/lone-orders.ts';

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const BLOCKHASH = 'EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N';
const wallet = testWallet();
const [first, other, recipient] = [wallet.deposit(1), wallet.deposit(2), wallet.deposit(50)];

const coin: SolanaPayment = {
  feePayer: wallet.hot,
  wallet: wallet.hot,
  recipient,
  units: 5_000n,
  token: null,
  creates: false,
  closes: false,
  tag: tagOf(9n),
  unitLimit: 1_000,
  unitPrice: 10_000n,
};
const token: SolanaPayment = {
  ...coin,
  token: { mint: USDC, program: TOKEN_PROGRAM, decimals: 6 },
  creates: true,
};
/** To the recipient's token account, which is there already. */
const there: SolanaPayment = {
  ...token,
  recipient: associatedAccount(recipient, token.token!),
  creates: false,
};
const sweep: SolanaPayment = { ...token, wallet: first, recipient: wallet.hot, closes: true };
const NATIVE = { chainId: null, contract: null, decimals: 9 };
const OF_TOKEN = { chainId: null, contract: USDC, decimals: 6 };

function orderOf(payment: SolanaPayment, change: Change<SigningOrder> = {}): SigningOrder {
  const sweeps = payment.wallet !== wallet.hot;
  const order = signingOrder({
    chain: 'solana',
    key: sweeps ? { role: 'deposit', index: 1 } : { role: 'hot' },
    wallet: payment.wallet,
    feePayer: sweeps ? wallet.hot : null,
    nonce: 9n,
    purpose: sweeps ? 'sweep' : 'payout',
    asset: payment.token === null ? 'sol_solana' : 'usdc_solana',
    transferId: 'a'.repeat(24),
    referenceId: 'b'.repeat(24),
    to: payment.recipient,
    toKey: null,
    units: payment.units,
    voids: false,
    validUntil: 150n,
    payload: writeUnsigned(payment, BLOCKHASH),
  });
  return changed(order, change);
}

const termsOf = (payment: SolanaPayment) => (payment.token === null ? NATIVE : OF_TOKEN);
const check = (payment: SolanaPayment, change?: Change<SigningOrder>, terms = termsOf(payment)) =>
  wallet.signing.check(orderOf(payment, change), terms);
const refused = (work: Promise<unknown>) => expect(work).rejects.toBeInstanceOf(SigningRefused);

test('what says the order is let through, with the most that it can cost', async () => {
  expect(await check(coin)).toEqual({ maxFeeUnits: 5_010n });
  expect(await check(token)).toEqual({ maxFeeUnits: 5_010n + 4_000_000n });
  expect(await check(there, { to: recipient })).toEqual({ maxFeeUnits: 5_010n });
  expect(await check(sweep)).toEqual({ maxFeeUnits: 10_010n + 4_000_000n });
  expect(await check({ ...sweep, closes: false })).toMatchObject({ maxFeeUnits: 4_010_010n });
  expect(await check({ ...sweep, token: null, creates: false, closes: false }, {}, NATIVE)).toEqual({
    maxFeeUnits: 10_010n,
  });
});

describe('is refused', () => {
  test('a payload of other fields than the order, one by one', async () => {
    const order = orderOf(token);
    const payloads: SolanaPayment[] = [
      { ...token, recipient: other },
      { ...token, units: token.units + 1n },
      { ...token, tag: tagOf(10n) },
      { ...token, feePayer: other },
      { ...token, wallet: first },
      { ...token, token: null, creates: false },
      { ...there, recipient: associatedAccount(other, token.token!) },
      { ...there, recipient },
      { ...token, token: { ...token.token!, mint: other } },
      { ...token, token: { ...token.token!, decimals: 9 } },
      // The hot wallet's own account, with the tokens of everybody.
      { ...token, closes: true },
    ];
    for (const payment of payloads) {
      const payload = writeUnsigned(payment, BLOCKHASH);
      await refused(wallet.signing.check({ ...order, payload }, OF_TOKEN));
    }
  });

  test('an order of other fields than the payload, one by one', async () => {
    const changes: Change<SigningOrder>[] = [
      { to: other },
      { units: 4_999n },
      { units: 0n },
      { units: 2n ** 64n },
      { nonce: 10n },
      { wallet: first },
      { feePayer: other },
      { voids: true },
      { validUntil: null },
      { payments: [] },
      { payments: [orderOf(token).payments[0]!, orderOf(token).payments[0]!] },
    ];
    for (const change of changes) await refused(check(token, change));
    await refused(check(token, {}, NATIVE));
    await refused(check(coin, {}, OF_TOKEN));
  });

  test('a sweep whose fee, rent or money goes to somebody else', async () => {
    const order = orderOf(sweep);
    for (const payment of [
      { ...sweep, feePayer: first },
      { ...sweep, recipient: other },
      { ...sweep, wallet: other },
    ])
      await refused(wallet.signing.check({ ...order, payload: writeUnsigned(payment, BLOCKHASH) }, OF_TOKEN));
  });

  test('a payload with anything besides, or that is none', async () => {
    const { feePayer, tag, unitLimit, unitPrice } = coin;
    const budget = computeBudget({ unitLimit, unitPrice, loadedBytes: 2 ** 24 + tag });
    const move = transferLamports({ from: coin.wallet, to: recipient, lamports: coin.units });
    const close = closeAccount({
      account: associatedAccount(wallet.hot, { mint: USDC, program: TOKEN_PROGRAM }),
      to: other,
      owner: wallet.hot,
      program: TOKEN_PROGRAM,
    });
    const made = (instructions: (typeof move)[]) => {
      const { payerKey, recentBlockhash } = TransactionMessage.decompile(
        Message.from(Buffer.from(writeUnsigned({ ...coin, feePayer }, BLOCKHASH), 'base64')),
      );
      const message = new TransactionMessage({ payerKey, recentBlockhash, instructions });
      return message.compileToLegacyMessage().serialize().toString('base64');
    };
    expect(made([...budget, move])).toBe(writeUnsigned(coin, BLOCKHASH));
    const payloads = [
      made([...budget, move, move]),
      made([...budget, move, close]),
      made([...budget, close]),
      made([...budget]),
      made([move]),
      made([budget[1]!, budget[0]!, budget[2]!, move]),
      `${writeUnsigned(coin, BLOCKHASH).slice(0, -4)}AAAB`,
      Buffer.concat([Buffer.from(writeUnsigned(coin, BLOCKHASH), 'base64'), Buffer.of(0)]).toString('base64'),
      writeUnsigned(coin, BLOCKHASH).slice(0, 40),
      'nonsense',
      '',
    ];
    for (const payload of payloads) await refused(check(coin, { payload }));
  });
});

test('tokens of both programs are read, and a tag that there cannot be is not', async () => {
  const extended = { ...token, token: { ...token.token!, program: TOKEN_2022_PROGRAM } };
  expect(await check(extended)).toMatchObject({ maxFeeUnits: 4_005_010n });
  await refused(check({ ...coin, tag: -5 }));
  expect(tagOf(2n ** 25n + 3n)).toBe(3);
});
