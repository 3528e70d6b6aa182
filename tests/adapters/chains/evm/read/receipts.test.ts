/** Receipts: many of a block in one question, and one by one where a node gives no others. */
import { describe, expect, test } from 'bun:test';
import { type ReceiptReader, receiptReader } from '../../../../../src/adapters/chains/evm/read/receipts.ts';
import { NodeLagging, RpcError } from '../../../../../src/adapters/chains/shared/nodes/node-errors.ts';
import type { RpcNode, RpcOutcome } from '../../../../../src/adapters/chains/shared/nodes/rpc-node.ts';
import { ChainUnavailable } from '../../../../../src/ports/chains/chain-scanner.ts';

const hash = (digit: string): string => `0x${digit.repeat(64)}`;
const BLOCK = { height: 16, hash: hash('b') };
const receiptOf = (txid: string, blockHash = BLOCK.hash) => ({
  ...{ transactionHash: txid, blockHash, status: '0x1', gasUsed: '0x5208', effectiveGasPrice: '0x2' },
});
const wanted = (digits: string) => digits.split('').map((digit) => ({ txid: hash(digit), block: BLOCK }));

/** A node of which `ofBlock` answers for the block; it tells what it was asked. */
function stage(ofBlock: () => RpcOutcome) {
  const asked: string[] = [];
  const one = (method: string, params: readonly unknown[]): RpcOutcome => {
    asked.push(method);
    return method === 'eth_getBlockReceipts' ? ofBlock() : { result: receiptOf(String(params[0])) };
  };
  const outcomes: RpcNode['outcomes'] = async (calls) =>
    calls.map(({ method, params }) => one(method, params));
  const node = {
    label: 'node 1',
    outcomes,
    batch: async (calls: Parameters<RpcNode['outcomes']>[0]) =>
      (await outcomes(calls)).map((outcome) => ('result' in outcome ? outcome.result : null)),
  } as unknown as RpcNode;
  let now = 0;
  const reader: ReceiptReader = receiptReader({ now: () => now });
  return {
    read: async (digits: string) => {
      asked.length = 0;
      const found = await reader.of(node, wanted(digits));
      return {
        asked: new Map([...Map.groupBy(asked, (each) => each)].map(([k, v]) => [k, v.length])),
        found,
      };
    },
    pass(ms: number) {
      now += ms;
    },
  };
}

describe('receipts of an EVM block', () => {
  test('are read together where many are wanted, and one by one where few are', async () => {
    const on = stage(() => ({ result: '123456789'.split('').map((digit) => receiptOf(hash(digit))) }));
    const many = await on.read('1234');
    expect([...many.asked]).toEqual([['eth_getBlockReceipts', 1]]);
    expect([...many.found.keys()]).toEqual(wanted('1234').map(({ txid }) => txid));
    expect([...(await on.read('123')).asked]).toEqual([['eth_getTransactionReceipt', 3]]);
  });

  test('are asked for one by one of a node that refused, and together again some minutes later', async () => {
    const on = stage(() => ({ error: new RpcError(-32_601, 'the method does not exist') }));
    const asked = async () => Object.fromEntries((await on.read('1234')).asked);
    expect(await asked()).toEqual({ eth_getBlockReceipts: 1, eth_getTransactionReceipt: 4 });
    expect(await asked()).toEqual({ eth_getTransactionReceipt: 4 });
    on.pass(600_000);
    expect(await asked()).toEqual({ eth_getBlockReceipts: 1, eth_getTransactionReceipt: 4 });
  });

  test('are completed by those that the block’s answer lacks (R3)', async () => {
    const on = stage(() => ({ result: [receiptOf(hash('1'))] }));
    const { asked, found } = await on.read('1234');
    expect(asked.get('eth_getTransactionReceipt')).toBe(3);
    expect(found.size).toBe(4);
  });

  test('of another block, or of none yet, are no answer', async () => {
    const other = stage(() => ({
      result: '1234'.split('').map((digit) => receiptOf(hash(digit), hash('c'))),
    }));
    await expect(other.read('1234')).rejects.toThrow(ChainUnavailable);
    await expect(stage(() => ({ result: null })).read('1234')).rejects.toThrow(NodeLagging);
  });
});
