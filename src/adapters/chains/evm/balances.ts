/** Many native balances at one block in few calls: a tiny program runs under a state override, nothing is deployed. */

import { NodeFault, RpcError } from '../shared/faults.ts';
import type { RpcNode } from '../shared/rpc-node.ts';
import { hexBytes, quantity } from './decode.ts';

/**
 * For every 32-byte word of the call data: BALANCE of that address, written back in its place.
 *
 *     00 PUSH1 00           i = 0
 *     02 JUMPDEST           loop
 *     03 DUP1 CALLDATASIZE GT ISZERO PUSH1 15 JUMPI    done when i >= size
 *     0a DUP1 CALLDATALOAD BALANCE DUP2 MSTORE         memory[i] = balance(data[i])
 *     0f PUSH1 20 ADD PUSH1 02 JUMP                    i += 32
 *     15 JUMPDEST PUSH1 00 RETURN                      the first i bytes of memory
 */
const BALANCES_CODE = '0x60005b8036111560155780353181526020016002565b6000f3';
/** Where the program pretends to live; an address nobody has. */
const BALANCES_ADDRESS = `0x${'b'.repeat(40)}`;
/** Some 3,300 gas each with its call data: far below the 16 million of one transaction (EIP-7825), in 160 KB. */
const ADDRESSES_PER_CALL = 2_500;

/** Wei of each of `addresses` after the block `blockHash`, in order. RpcError when the node has no such state any more. */
export async function balancesAt(
  node: RpcNode,
  { addresses, blockHash }: { addresses: readonly string[]; blockHash: string },
): Promise<readonly bigint[]> {
  const balances: bigint[] = [];
  for (let start = 0; start < addresses.length; start += ADDRESSES_PER_CALL) {
    const chunk = addresses.slice(start, start + ADDRESSES_PER_CALL);
    balances.push(
      ...((await byOverride(node, chunk, blockHash)) ?? (await oneByOne(node, chunk, blockHash))),
    );
  }
  return balances;
}

/** The same by address; null where it would take a call for each, or the node has no such state any more. */
export async function balancesTogether(
  node: RpcNode,
  { addresses, blockHash }: { addresses: readonly string[]; blockHash: string },
): Promise<ReadonlyMap<string, bigint> | null> {
  const units = new Map<string, bigint>();
  for (let start = 0; start < addresses.length; start += ADDRESSES_PER_CALL) {
    const chunk = addresses.slice(start, start + ADDRESSES_PER_CALL);
    const told = await byOverride(node, chunk, blockHash);
    if (told === null) return null;
    for (const [position, address] of chunk.entries()) units.set(address, told[position]!);
  }
  return units;
}

export type BalanceReader = typeof balancesAt;

/** balancesAt, but what a node told of the block that it was asked about last is not asked again: the next range follows on it. */
export function balanceReader(): BalanceReader {
  /** By the node's label. */
  const last = new Map<string, { readonly blockHash: string; readonly units: ReadonlyMap<string, bigint> }>();
  return async (node, { addresses, blockHash }) => {
    const before = last.get(node.label);
    const units = new Map(before?.blockHash === blockHash ? before.units : []);
    const open = addresses.filter((address) => !units.has(address));
    const told = await balancesAt(node, { addresses: open, blockHash });
    for (const [position, address] of open.entries()) units.set(address, told[position]!);
    last.set(node.label, { blockHash, units });
    return addresses.map((address) => units.get(address)!);
  };
}

/** Null when the node has no state overrides. */
async function byOverride(
  node: RpcNode,
  addresses: readonly string[],
  blockHash: string,
): Promise<readonly bigint[] | null> {
  const data = `0x${addresses.map((address) => address.slice(2).padStart(64, '0')).join('')}`;
  let answer: string;
  try {
    const call = { to: BALANCES_ADDRESS, data };
    const override = { [BALANCES_ADDRESS]: { code: BALANCES_CODE } };
    answer = hexBytes(await node.call('eth_call', call, { blockHash }, override), 'balances');
  } catch (error) {
    if (error instanceof RpcError) return null;
    throw error;
  }
  // A node that ignores the third parameter calls an address without code and answers nothing.
  if (answer === '0x') return null;
  if (answer.length !== data.length) throw new NodeFault('unusable answer: balances');
  return addresses.map((_, position) => BigInt(`0x${answer.slice(2 + 64 * position, 66 + 64 * position)}`));
}

async function oneByOne(
  node: RpcNode,
  addresses: readonly string[],
  blockHash: string,
): Promise<readonly bigint[]> {
  const calls = addresses.map((address) => ({ method: 'eth_getBalance', params: [address, { blockHash }] }));
  return (await node.batch(calls)).map((answer) => quantity(answer, 'balance'));
}
