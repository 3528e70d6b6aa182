/**
 * Unsigned and signed bytes of XRP: what is written is read, nothing else is, and @noble agrees
 * with every signature.
 */
import { describe, expect, test } from 'bun:test';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha512 } from '@noble/hashes/sha2.js';
import fc from 'fast-check';
import { deriveAddress, deriveKeypair } from 'ripple-keypairs';
import { decode, encode, encodeAccountID, encodeForSigning } from 'xrpl';
import {
  readSigned,
  readUnsigned,
  signUnsigned,
  writeUnsigned,
  type XrpTransaction,
} from '../../../../../src/adapters/chains/xrp/codec/transaction.ts';
import { accountOfKey } from '../../../../../src/adapters/chains/xrp/deriver.ts';
import { ORACLE_CASES } from '../../../../support/chains/oracle-cases.ts';
import { walletNamed } from '../../../../support/xrp/keys.ts';
import { isSigned, readBlob } from '../../../../support/xrp/transaction.ts';

const { publicKey, privateKey, classicAddress: account } = walletNamed('hot');
const KEY = { publicKey: publicKey.toLowerCase(), privateKey: privateKey.slice(2).toLowerCase() };

const accounts = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((id) => encodeAccountID(id as never));
const uint32 = fc.oneof(fc.constantFrom(0, 1, 2 ** 32 - 1), fc.integer({ min: 0, max: 2 ** 32 - 1 }));
const drops = fc.oneof(fc.constantFrom(1n, 10n ** 17n), fc.bigInt({ min: 1n, max: 10n ** 17n }));
const content = fc.oneof(
  fc.constantFrom({ kind: 'void' } as const, { kind: 'require_tags' } as const),
  fc.record({
    kind: fc.constant('payment' as const),
    to: fc.record({ account: accounts, tag: fc.option(uint32) }),
    drops,
  }),
);
const transactions: fc.Arbitrary<XrpTransaction> = fc.record({
  account: fc.constant(account),
  sequence: uint32,
  feeDrops: fc.bigInt({ min: 0n, max: 10n ** 9n }),
  lastLedger: uint32,
  content,
});

const half = (hex: string): Uint8Array => sha512(Buffer.from(hex, 'hex')).subarray(0, 32);
const upper = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex').toUpperCase();

describe('transactions against other libraries', () => {
  test('random transactions are read as written, and signed as @noble signs them by itself', () => {
    fc.assert(
      fc.property(transactions, (transaction) => {
        const payload = writeUnsigned(transaction);
        expect(readUnsigned(payload)).toEqual(transaction);
        const { raw, txid } = signUnsigned(payload, KEY);
        expect(readSigned(raw)).toEqual({ ...transaction, txid });
        expect(readSigned(payload)).toBeNull();
        expect(readUnsigned(raw)).toBeNull();
        expect(txid).toBe(upper(half(`54584E00${raw}`)));
        const { SigningPubKey, TxnSignature, ...fields } = decode(raw) as unknown as Record<string, string>;
        expect(SigningPubKey).toBe(publicKey);
        expect(encode(fields as never)).toBe(payload);
        const message = encodeForSigning({ ...fields, SigningPubKey } as never);
        const signed = secp256k1.sign(half(message), Buffer.from(KEY.privateKey, 'hex'), {
          ...{ prehash: false, lowS: true, format: 'der' },
        });
        expect(TxnSignature).toBe(upper(signed));
      }),
      { numRuns: ORACLE_CASES },
    );
  }, 120_000);

  test('the test network takes what was signed, and nothing of it changed', () => {
    const { raw } = signUnsigned(
      writeUnsigned({
        ...{ account, sequence: 5, feeDrops: 12n, lastLedger: 2_000 },
        content: { kind: 'payment', to: { account: walletNamed('other').classicAddress, tag: 7 }, drops: 5n },
      }),
      KEY,
    );
    expect(isSigned(readBlob(raw)!.tx)).toBe(true);
    for (let at = 0; at < raw.length; at += 2) {
      const byte = (Number.parseInt(raw.slice(at, at + 2), 16) ^ 1)
        .toString(16)
        .padStart(2, '0')
        .toUpperCase();
      const changed = `${raw.slice(0, at)}${byte}${raw.slice(at + 2)}`;
      const read = readBlob(changed);
      expect(read !== null && isSigned(read.tx)).toBe(false);
      expect(readSigned(changed)).toBeNull();
    }
  });

  test('our own account is that of the key as ripple-keypairs derives it', () => {
    const pair = deriveKeypair('sp5fghtJtpUorTwvof1NpDXAzNwf5');
    expect(accountOfKey(pair.publicKey)).toBe(deriveAddress(pair.publicKey));
    expect(accountOfKey(pair.publicKey)).toBe('rU6K7V3Po4snVhBBaU29sesqs2qTQJWDw1');
  });
});

describe('what is no transaction of ours', () => {
  const payment = {
    ...{ TransactionType: 'Payment', Account: account, Destination: walletNamed('other').classicAddress },
    ...{ Amount: '1000000', Fee: '12', Sequence: 5, LastLedgerSequence: 2_000 },
  };
  const read = (changes: object) => readUnsigned(encode({ ...payment, ...changes } as never));

  test('is not read: other types, other fields beside, flags, memos, paths, issued amounts, tickets, keys', () => {
    expect(read({})).not.toBeNull();
    const issued = { currency: 'USD', issuer: walletNamed('issuer').classicAddress, value: '1' };
    for (const changes of [
      { Flags: 0x0002_0000 },
      { Flags: 0 },
      { SendMax: issued },
      { Amount: issued },
      { DeliverMin: '1' },
      { Memos: [{ Memo: { MemoData: 'AB' } }] },
      { SourceTag: 7 },
      { TicketSequence: 9, Sequence: 0 },
      { NetworkID: 1025 },
      { SigningPubKey: publicKey },
      { InvoiceID: 'A'.repeat(64) },
      { LastLedgerSequence: undefined },
      { Sequence: undefined },
      { TransactionType: 'EscrowCreate', FinishAfter: 9 },
      { TransactionType: 'SetRegularKey', RegularKey: walletNamed('thief').classicAddress },
    ])
      expect(read(changes)).toBeNull();
  });

  test('is not read: settings of the account other than the one that requires tags', () => {
    const set = (changes: object) =>
      readUnsigned(
        encode({
          ...{
            TransactionType: 'AccountSet',
            Account: account,
            Fee: '12',
            Sequence: 5,
            LastLedgerSequence: 2_000,
          },
          ...changes,
        } as never),
      );
    expect(set({})).toMatchObject({ content: { kind: 'void' } });
    expect(set({ SetFlag: 1 })).toMatchObject({ content: { kind: 'require_tags' } });
    for (const changes of [
      { SetFlag: 0 },
      { ClearFlag: 1 },
      { SetFlag: 4 },
      { SetFlag: 1, ClearFlag: 3 },
      { SetFlag: 1, Domain: 'AB' },
      { SetFlag: 1, TransferRate: 2_000_000_000 },
    ])
      expect(set(changes)).toBeNull();
  });

  test('is not read: bytes that are none, or that are written in another way', () => {
    const payload = encode(payment as never);
    for (const text of [
      '',
      '00',
      'zz',
      payload.toLowerCase(),
      `${payload}00`,
      payload.slice(0, -2),
      ` ${payload}`,
    ])
      expect(readUnsigned(text)).toBeNull();
  });

  test('a signature of another key, or of an account that the key does not master, is no signature', () => {
    const thief = walletNamed('thief');
    expect(readSigned(thief.sign(payment as never).tx_blob)).toBeNull();
    const own = { publicKey: thief.publicKey, privateKey: thief.privateKey.slice(2) };
    expect(() => signUnsigned(encode(payment as never), own)).toThrow(
      /cannot be read, or is of another account/,
    );
    expect(() => signUnsigned('00', KEY)).toThrow(/cannot be read/);
  });
});
