/**
 * Transactions of the main network as nodes answered them (getTransaction, encoding json; log
 * messages left out), from test data that public repositories hold. Tests hold every message
 * against its signatures. What is told beside the message, the balances above all, no signature
 * covers: where the message itself says the amounts, they are held against it. coin-of-2020: slot
 * 5632752, published in encoding jsonParsed and written here in encoding json, which its signature
 * confirms. failed-of-2022: slot 131683246. nonce-and-tokens-of-2023: slot 207121234.
 * lookups-and-usdc-of-2025: slot 334182963; of these two the message was published in base64.
 * associated-account-of-2026: slot 451816484, published without its token balances.
 */
import { describe, expect, test } from 'bun:test';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { getCompiledTransactionMessageEncoder } from '@solana/kit';
import { associatedAccount, TOKEN_PROGRAM } from '../../../../src/adapters/chains/solana/programs.ts';
import { movementsIn } from '../../../../src/adapters/chains/solana/read/movements.ts';
import { arrivalsIn, paymentsAmong } from '../../../../src/adapters/chains/solana/read/transfers.ts';
import type { ListedToken } from '../../../../src/adapters/chains/solana/tokens.ts';
import { watching } from '../../../support/chains/watch-list.ts';
import type { Json } from '../../../support/test-service.ts';
import claim from './recorded-blocks/associated-account-of-2026.json';
import coin from './recorded-blocks/coin-of-2020.json';
import failed from './recorded-blocks/failed-of-2022.json';
import usdc from './recorded-blocks/lookups-and-usdc-of-2025.json';
import bonk from './recorded-blocks/nonce-and-tokens-of-2023.json';

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const BONK = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263';
const listed = (asset: string, mint: string, decimals: number): [string, ListedToken] => [
  mint,
  { asset, mint, program: TOKEN_PROGRAM, decimals },
];
const LISTED = new Map([listed('usdc_solana', USDC, 6), listed('bonk_solana', BONK, 5)]);
const ALL: readonly Json[] = [coin, failed, bonk, usdc, claim];

/** The bytes that were signed. */
function messageBytes({ version, transaction: { message } }: Json): Uint8Array {
  const compiled = {
    version: version === 0 ? 0 : 'legacy',
    header: {
      numSignerAccounts: message.header.numRequiredSignatures,
      numReadonlySignerAccounts: message.header.numReadonlySignedAccounts,
      numReadonlyNonSignerAccounts: message.header.numReadonlyUnsignedAccounts,
    },
    staticAccounts: message.accountKeys,
    lifetimeToken: message.recentBlockhash,
    instructions: message.instructions.map(({ programIdIndex, accounts, data }: Json) => ({
      programAddressIndex: programIdIndex,
      accountIndices: accounts,
      data: base58.decode(data),
    })),
    ...(version === 0
      ? {
          addressTableLookups: message.addressTableLookups.map((lookup: Json) => ({
            ...lookup,
            lookupTableAddress: lookup.accountKey,
          })),
        }
      : {}),
  };
  return new Uint8Array(getCompiledTransactionMessageEncoder().encode(compiled as never));
}

const paid = async (answer: Json, to: readonly string[]) =>
  (await paymentsAmong([arrivalsIn(movementsIn(answer), LISTED)], watching(to), 'sol_solana'))[0]!;
/** The number that follows the instruction's own number in its data. */
const amountIn = (data: string, at: number): bigint => Buffer.from(base58.decode(data)).readBigUInt64LE(at);

describe('recorded transactions of the main network', () => {
  test('are what was signed: every signature fits the message', () => {
    for (const answer of ALL) {
      const { signatures, message } = answer.transaction;
      expect(signatures).toHaveLength(message.header.numRequiredSignatures);
      for (const [index, signature] of signatures.entries()) {
        const key = base58.decode(message.accountKeys[index]);
        expect(ed25519.verify(base58.decode(signature), messageBytes(answer), key)).toBe(true);
      }
    }
  });

  test('no coins came into being: what the balances lost is the fee', () => {
    for (const { meta } of ALL) {
      const sum = (balances: readonly number[]) => balances.reduce((total, each) => total + BigInt(each), 0n);
      expect(sum(meta.preBalances) - sum(meta.postBalances)).toBe(BigInt(meta.fee));
    }
  });

  test('a payment in the coin of 2020, when nodes told neither tokens nor inner instructions', async () => {
    const [from, to] = coin.transaction.message.accountKeys as [string, string];
    expect(await paid(coin, [from, to])).toEqual([
      {
        txid: coin.transaction.signatures[0]!,
        output: `native:${to}`,
        asset: 'sol_solana',
        to,
        from,
        units: 1_230_000n,
        kind: 'payment',
      },
    ]);
    expect(amountIn(coin.transaction.message.instructions[0]!.data, 4)).toBe(1_230_000n);
  });

  test('tokens that a transaction with a durable nonce and two signatures pays, between holdings beyond a double', async () => {
    const to = 'GtxgnRiSfBzahR9xb7hvYbWq3Uzez7hpCz2BJbCLxKdq';
    const from = bonk.transaction.message.accountKeys[0]!;
    const units = 3_170_652_014_400_000n;
    expect(await paid(bonk, [to, from])).toEqual([
      {
        txid: bonk.transaction.signatures[0]!,
        output: `token:${BONK}:${to}`,
        asset: 'bonk_solana',
        to,
        from,
        units,
        kind: 'payment',
      },
    ]);
    expect(amountIn(bonk.transaction.message.instructions[1]!.data, 1)).toBe(units);
  });

  test('USDC that inner instructions move between accounts of lookup tables', async () => {
    const to = '3CznQLcJWpyNKrYyq7qCvZsHn19csgB8g5wvisx4us47';
    expect(await paid(usdc, [to])).toEqual([
      {
        txid: usdc.transaction.signatures[0]!,
        output: `token:${USDC}:${to}`,
        asset: 'usdc_solana',
        to,
        from: '41fkvu8LhJDqkF325GTz6HuQRvZmCXVtYoYWPZeVCdux',
        units: 4_608_152_451n,
        kind: 'payment',
      },
    ]);
  });

  test('coins that inner instructions bring, in one that opens an associated account and closes it', async () => {
    const [to, account] = claim.transaction.message.accountKeys as [string, string];
    const wrapped = 'So11111111111111111111111111111111111111112';
    expect(associatedAccount(to, { mint: wrapped, program: TOKEN_PROGRAM })).toBe(account);
    expect(await paid(claim, [to, account])).toMatchObject([
      { to, asset: 'sol_solana', from: claim.transaction.message.accountKeys[4]!, units: 4_675_630_798n },
    ]);
  });

  test('S1: one that failed pays nothing, and cost its fee', async () => {
    const movements = movementsIn(failed);
    expect(movements).toMatchObject({ failed: true, feeUnits: 5_000n });
    expect(await paid(failed, failed.transaction.message.accountKeys)).toEqual([]);
  });
});
