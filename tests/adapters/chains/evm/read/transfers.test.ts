/** The pure readings of EVM logs and traces, on shapes that no test node produces on demand. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { NodeLog } from '../../../../../src/adapters/chains/evm/decode.ts';
import {
  internalTransfers,
  nativeTransfer,
  TRANSFER_TOPIC,
  tokenTransfers,
} from '../../../../../src/adapters/chains/evm/read/transfers.ts';

const addressOf = (digit: string): string => `0x${digit.repeat(40)}`;
const [alice, bob, token, otherToken] = ['a', 'b', 'c', 'd'].map(addressOf) as [
  string,
  string,
  string,
  string,
];
const txid = `0x${'7'.repeat(64)}`;
const word = (address: string): string => `0x${'0'.repeat(24)}${address.slice(2)}`;

describe('internal transfers from a call frame', () => {
  const frame = (changes: object): object => ({
    type: 'CALL',
    from: alice,
    to: bob,
    value: '0x5',
    ...changes,
  });
  const outputs = (top: object): readonly string[] =>
    internalTransfers({ txid, frame: top, asset: 'eth_ethereum' }).map(({ output }) => output);

  test('the top frame is not internal, its descendants are, named by their path', () => {
    const top = frame({
      calls: [
        frame({}),
        frame({ value: '0x0', calls: [frame({}), frame({ type: 'STATICCALL', calls: [frame({})] })] }),
      ],
    });
    expect(outputs(top)).toEqual(['call:0', 'call:1.0', 'call:1.1.0']);
  });

  test('E5: a failed frame takes back all below it, at any depth, and nothing beside it', () => {
    const failed = frame({ error: 'execution reverted', calls: [frame({ calls: [frame({})] })] });
    expect(outputs(frame({ calls: [failed, frame({})] }))).toEqual(['call:1']);
    expect(outputs(frame({ error: 'out of gas', calls: [frame({})] }))).toEqual([]);
    expect(outputs(frame({ error: '', calls: [frame({ error: null })] }))).toEqual(['call:0']);
  });

  test('E6: calls, creations and selfdestruct move money; delegated, static and code calls do not', () => {
    const types = ['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT', 'DELEGATECALL', 'STATICCALL', 'CALLCODE'];
    expect(outputs(frame({ calls: types.map((type) => frame({ type })) }))).toEqual([
      'call:0',
      'call:1',
      'call:2',
      'call:3',
    ]);
  });

  test('frames without value or receiver, of zero value, or to themselves move nothing', () => {
    const changes = [
      { value: undefined },
      { value: null },
      { to: null },
      { to: undefined },
      { value: '0x0' },
      { to: alice },
    ];
    expect(outputs(frame({ calls: changes.map((change) => frame(change)) }))).toEqual([]);
  });

  test('addresses come out lower case and values exact', () => {
    const calls = [frame({ to: bob.toUpperCase().replace('X', 'x'), value: `0x${'f'.repeat(64)}` })];
    const [found] = internalTransfers({ txid, frame: frame({ calls }), asset: 'eth_ethereum' });
    expect(found).toEqual({
      txid,
      output: 'call:0',
      asset: 'eth_ethereum',
      to: bob,
      from: alice,
      units: 2n ** 256n - 1n,
      kind: 'payment',
    });
  });
});

describe('token transfers from logs', () => {
  const log = (changes: Partial<NodeLog> = {}): NodeLog => ({
    contract: token,
    topics: [TRANSFER_TOPIC, word(alice), word(bob)],
    data: `0x${'1'.padStart(64, '0')}`,
    txid,
    blockHash: `0x${'8'.repeat(64)}`,
    logIndex: 0,
    ...changes,
  });
  const listed = new Map([[token, 'usdt_ethereum']]);

  test('E2: only listed contracts, only the shape of an ERC-20 transfer', () => {
    const strange: readonly Partial<NodeLog>[] = [
      { contract: otherToken },
      { topics: [`0x${'e'.repeat(64)}`, word(alice), word(bob)] },
      { topics: [TRANSFER_TOPIC, word(alice)] },
      { topics: [TRANSFER_TOPIC, word(alice), word(bob), word(bob)] },
      { topics: [TRANSFER_TOPIC, word(alice), `0x01${word(bob).slice(4)}`] },
      { data: '0x' },
      { data: `0x${'1'.padStart(128, '0')}` },
      { data: `0x${'0'.repeat(64)}` },
      { topics: [TRANSFER_TOPIC, word(bob), word(bob)] },
    ];
    expect(tokenTransfers(strange.map(log), listed)).toEqual([]);
    expect(tokenTransfers([log()], listed).length).toBe(1);
  });

  test('E8: keys do not depend on block-level log indexes or on other logs around', () => {
    const payments = fc.array(fc.constantFrom(alice, bob, otherToken), { minLength: 1, maxLength: 8 });
    const noise = fc.array(fc.nat(3), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(payments, noise, fc.nat(500), (receivers, gaps, start) => {
        const bare = receivers.map((to, logIndex) =>
          log({ logIndex, topics: [TRANSFER_TOPIC, word(token), word(to)] }),
        );
        let logIndex = start;
        const moved = bare.flatMap((entry, position) => {
          const around = Array.from({ length: gaps[position]! }, () =>
            log({ contract: otherToken, logIndex: logIndex++ }),
          );
          return [...around, { ...entry, logIndex: logIndex++ }];
        });
        const found = tokenTransfers(bare, listed);
        expect(tokenTransfers(moved.toReversed(), listed)).toEqual([...found]);
        expect(new Set(found.map(({ output }) => output)).size).toBe(receivers.length);
      }),
    );
  });
});

test('a transaction that creates a contract, moves nothing, or pays its own sender is no native transfer', () => {
  const payment = { hash: txid, from: alice, to: bob, value: 1n };
  for (const change of [{ to: null }, { value: 0n }, { to: alice }])
    expect(nativeTransfer({ ...payment, ...change }, 'eth_ethereum')).toBeNull();
  expect(nativeTransfer(payment, 'eth_ethereum')).toMatchObject({ output: 'native', to: bob, units: 1n });
});
