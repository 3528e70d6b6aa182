/**
 * Tron transactions: byte for byte those of tronweb, and read again only when they are exactly what
 * we write.
 */
import { describe, expect, test } from 'bun:test';
import { SigningKey } from 'ethers';
import { addressHex, addressText } from '../../../../../src/adapters/chains/tron/address.ts';
import { bytesField, numberField } from '../../../../../src/adapters/chains/tron/codec/protobuf.ts';
import {
  readTransaction,
  referenceTo,
  signedBytes,
  signTransaction,
  storedTransaction,
  type TronAction,
  type TronTransaction,
  writeTransaction,
} from '../../../../../src/adapters/chains/tron/codec/transaction.ts';
import { transferCall } from '../../../../../src/adapters/chains/tron/contract.ts';
import { ORACLE_CASES } from '../../../../support/chains/oracle-cases.ts';
import { type Seeded, seeded } from '../../../../support/runtime/seeded.ts';
import { buildTransaction } from '../../../../support/tron/build.ts';
import { TronWeb } from '../../../../support/tron/tronweb.ts';

const hex = (random: Seeded, digits: number): string =>
  Array.from({ length: digits }, () => random.int(16).toString(16)).join('');
const address = (random: Seeded): string => addressText(`41${hex(random, 40)}`);
/** Of any size up to the largest that tronweb, which has numbers for amounts, can hold. */
const units = (random: Seeded): bigint => 1n + (BigInt(`0x${hex(random, 13)}`) >> BigInt(random.int(52)));

function randomAction(random: Seeded): TronAction {
  const kind = random.pick(['coin', 'token', 'lend_energy', 'take_energy_back']);
  const to = address(random);
  if (kind !== 'token') return { kind, to, units: units(random) };
  return { kind, to, contract: address(random), units: BigInt(`0x${hex(random, 1 + random.int(63))}`) };
}

function randomTransaction(random: Seeded, owner: string): TronTransaction {
  const action = randomAction(random);
  return {
    owner,
    action,
    reference: referenceTo({ height: random.int(2 ** 31), hash: hex(random, 64) }),
    expiration: 1_790_000_000_000n + BigInt(random.int(2 ** 30)),
    timestamp: 1_789_999_000_000n + BigInt(random.int(2 ** 30)),
    feeLimit: action.kind === 'token' ? units(random) : 0n,
  };
}

/** The same, as tronweb is told. */
function draftOf({ owner, action, reference, expiration, timestamp, feeLimit }: TronTransaction) {
  const [from, to] = [addressHex(owner), addressHex(action.to)!];
  const place = {
    refBlockBytes: reference.height,
    refBlockHash: reference.hash,
    expirationMs: Number(expiration),
    timestampMs: Number(timestamp),
  };
  switch (action.kind) {
    case 'coin': {
      const value = { owner_address: from, to_address: to, amount: Number(action.units) };
      return { ...place, type: 'TransferContract', value };
    }
    case 'token': {
      const data = transferCall({ to, units: action.units });
      const value = { owner_address: from, contract_address: addressHex(action.contract), data };
      return { ...place, type: 'TriggerSmartContract', value, feeLimit: Number(feeLimit) };
    }
    default: {
      const resource = { resource: 'ENERGY', balance: Number(action.units), receiver_address: to };
      const type = action.kind === 'lend_energy' ? 'DelegateResourceContract' : 'UnDelegateResourceContract';
      return { ...place, type, value: { owner_address: from, ...resource } };
    }
  }
}

const signWith = (key: SigningKey) => (digest: string) => {
  const { r, s, yParity } = key.sign(`0x${digest}`);
  return { r: r.slice(2), s: s.slice(2), recovery: yParity };
};

describe('tron transactions', () => {
  test('raw data, id, signature and signed bytes of random transactions are those of tronweb', () => {
    const random = seeded(2026);
    for (let tried = 0; tried < ORACLE_CASES; tried += 1) {
      const key = new SigningKey(`0x0${hex(random, 63)}`);
      const owner = TronWeb.address.fromPrivateKey(key.privateKey.slice(2)) as string;
      const transaction = randomTransaction(random, owner);
      const payload = writeTransaction(transaction);
      const theirs = buildTransaction(draftOf(transaction));
      expect(payload).toBe(theirs.rawDataHex);
      expect(readTransaction(payload)).toEqual(transaction);
      const { raw, txid } = signTransaction(payload, signWith(key));
      expect({ txid, raw }).toEqual({ txid: theirs.txid, raw: theirs.sign(key.privateKey.slice(2)).hex });
      expect(storedTransaction(raw)).toEqual({ ...transaction, txid });
      expect(signedBytes(payload)).toBe(raw.length / 2);
    }
  });

  const usual: TronTransaction = {
    owner: 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7',
    action: { kind: 'coin', to: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', units: 5_000_000n },
    reference: { height: '0a1b', hash: '1122334455667788' },
    expiration: 1_790_000_600_000n,
    timestamp: 1_790_000_000_000n,
    feeLimit: 0n,
  };

  test('every byte counts: none can be changed, left away or added', () => {
    const payload = writeTransaction(usual);
    for (let at = 0; at < payload.length; at += 2) {
      const byte = Number.parseInt(payload.slice(at, at + 2), 16);
      const changed = `${payload.slice(0, at)}${(byte ^ 1).toString(16).padStart(2, '0')}${payload.slice(at + 2)}`;
      expect(readTransaction(changed)).not.toEqual(usual);
      expect(readTransaction(payload.slice(0, at))).not.toEqual(usual);
    }
    expect(readTransaction(`${payload}00`)).toBeNull();
    expect(readTransaction(payload.toUpperCase())).toBeNull();
  });

  test('a memo, a permission, a value beside a token transfer and another method are not read', () => {
    const place = { ...draftOf(usual), type: 'TriggerSmartContract', feeLimit: 1 };
    const call = {
      owner_address: addressHex(usual.owner),
      contract_address: addressHex(usual.action.to),
      data: transferCall({ to: addressHex(usual.owner)!, units: 1n }),
    };
    const read = (value: object) =>
      readTransaction(buildTransaction({ ...place, value: { ...value } }).rawDataHex);
    expect(read(call)).not.toBeNull();
    expect(read({ ...call, call_value: 1 })).toBeNull();
    expect(read({ ...call, token_id: 1_000_001, call_token_value: 1 })).toBeNull();
    expect(read({ ...call, data: `${call.data}00` })).toBeNull();
    expect(read({ ...call, data: call.data.replace('a9059cbb', '095ea7b3') })).toBeNull();
    const memo = Buffer.concat([
      Buffer.from(writeTransaction(usual), 'hex'),
      bytesField(10, Buffer.from('hello')),
    ]);
    expect(readTransaction(memo.toString('hex'))).toBeNull();
    const twice = Buffer.concat([
      Buffer.from(writeTransaction(usual), 'hex'),
      numberField(8, usual.expiration),
    ]);
    expect(readTransaction(twice.toString('hex'))).toBeNull();
    expect(readTransaction('')).toBeNull();
    expect(readTransaction('zz')).toBeNull();
    expect(readTransaction('08')).toBeNull();
    expect(readTransaction('0aff')).toBeNull();
    expect(readTransaction('ffffffffffffffffffffff')).toBeNull();
  });

  test('stored bytes with another signature than their owner gave are damage', () => {
    const key = new SigningKey(`0x${'11'.repeat(32)}`);
    const owner = TronWeb.address.fromPrivateKey('11'.repeat(32)) as string;
    const { raw } = signTransaction(writeTransaction({ ...usual, owner }), signWith(key));
    expect(storedTransaction(raw).owner).toBe(owner);
    const foreign = signTransaction(writeTransaction(usual), signWith(key)).raw;
    for (const wrong of [
      foreign,
      raw.slice(0, -2),
      `${raw.slice(0, -2)}05`,
      `${raw.slice(0, -130)}${'00'.repeat(65)}`,
      '',
    ])
      expect(() => storedTransaction(wrong)).toThrow('no transaction that this gateway signs');
  });

  test('amounts and addresses that there cannot be are not written', () => {
    const coin = { kind: 'coin', to: usual.action.to } as const;
    for (const amount of [-1n, 2n ** 63n])
      expect(() => writeTransaction({ ...usual, action: { ...coin, units: amount } })).toThrow(RangeError);
    expect(() => writeTransaction({ ...usual, owner: '0x00' })).toThrow('is not a Tron address');
    expect(() => signTransaction('00', () => ({ r: '', s: '', recovery: 0 }))).toThrow('cannot be read');
    expect(() => addressText('42'.repeat(21))).toThrow();
  });
});
