/**
 * Transactions of the main network's workchain 0, as deposits are read from them. Their bytes are
 * cells of whole blocks that a client library publishes as its test data, and those blocks hash to
 * the root hashes that name them; the fields around the bytes are written by toncenter's schema.
 * Block 40484416 of shard 8000000000000000 (December 2023, root hash
 * Pg7Cmn1KY1AZPsxhs7GIqo7ZGP4scDlzXSTmXBhWi70=): bounced, failed, jettons. Block 40484438 of the
 * same shard (NjG0CjQQKX2F0QTT5fHwxUpfsjxaymODT7HCTYukoSM=): payment, notified. Block 54302208 of
 * shard a000000000000000 (July 2025, Vj2Q9RgPEp0uHV7qZ5T+zc6crD47AAzUh2Bo/FrR5XI=): commented.
 */
import { describe, expect, test } from 'bun:test';
import { Address } from '@ton/core';
import { jettonDeposit, nativeDeposit } from '../../../../src/adapters/chains/ton/read/deposits.ts';
import { readTransaction } from '../../../../src/adapters/chains/ton/read/transactions.ts';
import recorded from './recorded-answers/recorded-transactions.json';

const NOBODY = `0:${'00'.repeat(32)}`;
const read = (name: keyof typeof recorded) => readTransaction(recorded[name]);

function incoming(name: keyof typeof recorded) {
  const { transaction } = read(name);
  const info = transaction.inMessage?.info;
  if (info?.type !== 'internal' || transaction.description.type !== 'generic')
    throw new Error('another kind');
  const [from, to] = [info.src.toRawString(), info.dest.toRawString()];
  return { from, to, bounced: info.bounced, coins: info.value.coins, description: transaction.description };
}

/** What is read for the account that the transaction is of. */
const coinsIn = (name: keyof typeof recorded) =>
  nativeDeposit(read(name), { asset: 'ton', to: incoming(name).to, hotWallet: NOBODY });
const jettonsIn = (name: keyof typeof recorded, owner: string) =>
  jettonDeposit(read(name), { asset: 'jetton', to: owner, hotWallet: NOBODY });

describe('recorded transactions of the main network', () => {
  test('coins to an address without a contract, and with a comment to one that has one, are payments', () => {
    for (const name of ['payment', 'commented'] as const) {
      const { from, to } = incoming(name);
      const hash = Buffer.from(recorded[name].transaction_id.hash, 'base64').toString('hex');
      expect(coinsIn(name)).toEqual({
        txid: hash,
        output: `lt:${recorded[name].transaction_id.lt}`,
        asset: 'ton',
        from,
        to,
        units: 1_000_000_000n,
        kind: 'payment',
      });
    }
    expect(incoming('payment').description.computePhase.type).toBe('skipped');
    expect(incoming('commented').description.computePhase.type).toBe('vm');
  });

  test('N1: what came back from another contract is nothing', () => {
    expect(incoming('bounced')).toMatchObject({ bounced: true, coins: 296_514_000n });
    expect(incoming('bounced').from).toBe(incoming('failed').to);
    expect(coinsIn('bounced')).toBeNull();
  });

  test('N1, N3: what a contract failed at and sent back is nothing', () => {
    const { coins, description } = incoming('failed');
    expect(coins).toBe(300_000_000n);
    expect(description.computePhase).toMatchObject({ type: 'vm', success: false, exitCode: 401 });
    expect(description.bouncePhase?.type).toBe('ok');
    expect(coinsIn('failed')).toBeNull();
  });

  test('jettons are what their wallet was told to take, from whom it was told', () => {
    const { transaction } = read('jettons');
    const notified = [...transaction.outMessages.values()][0]!.info.dest;
    const owner = Address.parse(String(notified)).toRawString();
    const told = {
      asset: 'jetton',
      to: owner,
      from: '0:bd2faad2d394198e63ea88e36cf88c5260bc44fa02d91254ef09e617eaab3c85',
      units: 432_151_000_000n,
      kind: 'payment',
    };
    expect(jettonsIn('jettons', owner)).toMatchObject(told);
  });

  test('N2: what a notification carries along is no payment of coins, and it is no jetton by itself', () => {
    expect(incoming('notified').coins).toBe(149_143_581_000n);
    expect(coinsIn('notified')).toBeNull();
    expect(jettonsIn('notified', incoming('notified').to)).toBeNull();
  });
});
