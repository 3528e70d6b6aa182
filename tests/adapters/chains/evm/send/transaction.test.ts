/**
 * Unsigned and signed EVM transactions: what is written is read back exactly, and nothing else is
 * read.
 */
import { expect, test } from 'bun:test';
import { Interface, Transaction, type TransactionLike } from 'ethers';
import fc from 'fast-check';
import {
  balanceCall,
  dataFeeBoundCall,
  dataFeeCall,
  readTransferCall,
  transferCall,
  transferSaysNo,
} from '../../../../../src/adapters/chains/evm/contract.ts';
import {
  type EvmPayment,
  type GasFees,
  highestPrice,
  readSigned,
  readUnsigned,
  storedTransaction,
  writeUnsigned,
} from '../../../../../src/adapters/chains/evm/send/transaction.ts';
import { evmKeys } from '../../../../support/evm/evm-keys.ts';

const PHRASE = 'test test test test test test test test test test test junk';
const KEYS = evmKeys(PHRASE);
const HOT = { role: 'hot' } as const;
const TO = `0x${'c0ffee'.repeat(6)}cafe`;
const TOKEN = `0x${'70ce'.repeat(10)}`;

const uint = (bits: number): fc.Arbitrary<bigint> => fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n });
const anAddress = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
const aPayment: fc.Arbitrary<EvmPayment> = fc.record({
  chainId: fc.bigInt({ min: 1n, max: 2n ** 40n }),
  nonce: fc.bigInt({ min: 0n, max: 2n ** 50n }),
  asset: fc.oneof(
    fc.constant({ kind: 'native' } as const),
    anAddress.map((contract) => ({ kind: 'token', contract }) as const),
  ),
  recipient: anAddress,
  units: uint(256),
});
const someFees: fc.Arbitrary<GasFees> = fc.oneof(
  uint(64).map((gasPrice) => ({ kind: 'legacy', gasPrice }) as const),
  fc.tuple(uint(64), uint(64)).map(([a, b]) => {
    const [maxFeePerGas, maxPriorityFeePerGas] = a > b ? [a, b] : [b, a];
    return { kind: 'dynamic', maxFeePerGas, maxPriorityFeePerGas } as const;
  }),
);

const NATIVE: EvmPayment = { chainId: 1n, nonce: 5n, asset: { kind: 'native' }, recipient: TO, units: 7n };
const PAID_IN_TOKENS: EvmPayment = { ...NATIVE, asset: { kind: 'token', contract: TOKEN } };
const GAS = {
  limit: 21_000n,
  fees: { kind: 'dynamic', maxFeePerGas: 30n, maxPriorityFeePerGas: 2n } as const,
};

test('what was written is read back, unsigned and signed, whatever it says', () => {
  fc.assert(
    fc.property(aPayment, someFees, uint(32), (payment, fees, limit) => {
      const payload = writeUnsigned(payment, { limit, fees });
      const { asset, recipient } = payment;
      const expected = {
        ...payment,
        to: asset.kind === 'token' ? asset.contract : recipient,
        gasLimit: limit,
        fees,
        maxFeeUnits: limit * highestPrice(fees),
      };
      expect(readUnsigned(payload)).toEqual(expected);
      expect(readSigned(payload)).toBeNull();
      const { raw, txid } = KEYS.sign(HOT, payload);
      expect(readSigned(raw)).toEqual({ ...expected, txid, from: KEYS.address(HOT) });
      expect(readUnsigned(raw)).toBeNull();
    }),
    { numRuns: 60 },
  );
});

test('a payload that is no payment of ours is not read', () => {
  const usual: TransactionLike = { type: 2, chainId: 1, nonce: 5, to: TO, gasLimit: 21_000, value: 7 };
  const transfer = transferCall({ to: TO, units: 7n });
  const strange: Readonly<Record<string, TransactionLike>> = {
    'creates a contract': { ...usual, to: null },
    'carries other data': { ...usual, data: '0x00' },
    'approves instead of transferring': { ...usual, value: 0, data: `0x095ea7b3${transfer.slice(10)}` },
    'has a byte after the call': { ...usual, value: 0, data: `${transfer}00` },
    'has dirt before the recipient': { ...usual, value: 0, data: `0xa9059cbb01${transfer.slice(12)}` },
    'sends the native coin with a token transfer': { ...usual, data: transfer },
    'has an access list': { ...usual, accessList: [{ address: TOKEN, storageKeys: [] }] },
    'is of EIP-2930': { ...usual, type: 1, gasPrice: 3 },
    'is for any chain': { ...usual, type: 0, chainId: 0, gasPrice: 3 },
  };
  expect(readUnsigned(Transaction.from(usual).unsignedSerialized)).not.toBeNull();
  for (const [name, transaction] of Object.entries(strange)) {
    const read = readUnsigned(Transaction.from(transaction).unsignedSerialized);
    expect({ name, read }).toEqual({ name, read: null });
  }
  const payload = writeUnsigned(NATIVE, GAS);
  for (const damaged of ['', '0x', 'payload', payload.slice(0, -2), `${payload}00`, payload.slice(2)])
    expect(readUnsigned(damaged)).toBeNull();
});

test('stored bytes that are damaged are a fault and never another transaction', () => {
  const { raw } = KEYS.sign(HOT, writeUnsigned(PAID_IN_TOKENS, GAS));
  expect(storedTransaction(raw)).toMatchObject({ units: 7n, recipient: TO, from: KEYS.address(HOT) });
  for (const damaged of [raw.slice(0, -2), `${raw}00`, '0x', writeUnsigned(NATIVE, GAS)])
    expect(() => storedTransaction(damaged)).toThrow('no transaction that this gateway signs');
});

test('call data is what the ABI says', () => {
  const abi = new Interface([
    'function transfer(address,uint256)',
    'function balanceOf(address)',
    'function getL1Fee(bytes)',
    'function getL1FeeUpperBound(uint256)',
  ]);
  const units = 2n ** 256n - 1n;
  expect(transferCall({ to: TO, units })).toBe(abi.encodeFunctionData('transfer', [TO, units]));
  expect(readTransferCall(transferCall({ to: TO, units }))).toEqual({ to: TO, units });
  expect(balanceCall(TO)).toBe(abi.encodeFunctionData('balanceOf', [TO]));
  for (const bytes of [0, 1, 31, 32, 33, 110]) {
    const data = `0x${'7e'.repeat(bytes)}`;
    expect(dataFeeCall(data)).toBe(abi.encodeFunctionData('getL1Fee', [data]));
    expect(dataFeeBoundCall(bytes)).toBe(abi.encodeFunctionData('getL1FeeUpperBound', [bytes]));
  }
});

test('E4: only a word of zero says that a token would not transfer', () => {
  const word = (digit: string): string => `0x${digit.padStart(64, '0')}`;
  expect(transferSaysNo(word('0'))).toBe(true);
  expect(transferSaysNo(word('1'))).toBe(false);
  expect(transferSaysNo('0x')).toBe(false);
});
