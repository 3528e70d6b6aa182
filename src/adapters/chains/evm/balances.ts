/** Many balances at one block in few calls: tiny programs run under a state override, nothing is deployed. */

import { inChunks } from '../shared/chunks.ts';
import { NodeFault, RpcError } from '../shared/faults.ts';
import type { RpcNode } from '../shared/rpc-node.ts';
import { balanceCall } from './contract.ts';
import { hexBytes, quantity } from './decode.ts';

/** Answers a word for each address in its call data, in order. */
interface Program {
  readonly code: string;
  /** Words before the addresses. */
  readonly given: readonly string[];
}

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
const OF_COIN: Program = { code: '0x60005b8036111560155780353181526020016002565b6000f3', given: [] };

/**
 * The first word is a token. For every other: what its balanceOf(address) answers. Reverts when one call does.
 *
 *     00 PUSH1 20           i = 32
 *     02 JUMPDEST           loop
 *     03 DUP1 CALLDATASIZE GT ISZERO PUSH1 33 JUMPI    done when i >= size
 *     0a PUSH4 70a08231 PUSH1 e0 SHL PUSH1 00 MSTORE   memory[0..] = the selector of balanceOf
 *     15 DUP1 CALLDATALOAD PUSH1 04 MSTORE             memory[4..] = data[i]
 *     1a PUSH1 20 DUP2 PUSH1 20 ADD                    a word, to memory[i + 32]
 *     20 PUSH1 24 PUSH1 00                             of the first 36 bytes
 *     24 PUSH1 00 CALLDATALOAD GAS STATICCALL          to the token
 *     29 ISZERO PUSH1 3b JUMPI                         or fail
 *     2d PUSH1 20 ADD PUSH1 02 JUMP                    i += 32
 *     33 JUMPDEST PUSH1 20 CALLDATASIZE SUB PUSH1 40 RETURN
 *     3b JUMPDEST PUSH1 00 PUSH1 00 REVERT
 */
const OF_TOKEN_CODE =
  '0x60205b80361115603357' +
  '6370a0823160e01b600052803560045260208160200160246000600035' +
  '5afa15603b576020016002565b602036036040f35b60006000fd';

/** Where the programs pretend to live; an address nobody has. */
const PROGRAM_ADDRESS = `0x${'b'.repeat(40)}`;
/** Some 3,300 gas each with its call data: far below the 16 million of one transaction (EIP-7825), in 160 KB. */
const ADDRESSES_PER_CALL = 2_500;
/** Behind a proxy some 12,000 gas each. */
const HOLDERS_PER_CALL = 1_000;

/** Lower case. */
interface At {
  readonly addresses: readonly string[];
  readonly blockHash: string;
}

const word = (address: string): string => address.slice(2).padStart(64, '0');

/** Wei of each of `addresses` after the block `blockHash`, in order. RpcError when the node has no such state any more. */
export async function balancesAt(node: RpcNode, { addresses, blockHash }: At): Promise<readonly bigint[]> {
  const balances: bigint[] = [];
  for (const chunk of inChunks(addresses, ADDRESSES_PER_CALL)) {
    const asked = { addresses: chunk, blockHash };
    balances.push(...((await byOverride(node, OF_COIN, asked)) ?? (await oneByOne(node, asked))));
  }
  return balances;
}

/** The same by address; null where it would take a call for each, or the node has no such state any more. */
export async function balancesTogether(
  node: RpcNode,
  { addresses, blockHash }: At,
): Promise<ReadonlyMap<string, bigint> | null> {
  const units = new Map<string, bigint>();
  for (const chunk of inChunks(addresses, ADDRESSES_PER_CALL)) {
    const told = await byOverride(node, OF_COIN, { addresses: chunk, blockHash });
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

/** Base units of the token `contract` (lower case) that each of `addresses` has after the block, in order. */
export async function tokenBalancesAt(
  node: RpcNode,
  contract: string,
  { addresses, blockHash }: At,
): Promise<readonly bigint[]> {
  const program = { code: OF_TOKEN_CODE, given: [word(contract)] };
  const balances: bigint[] = [];
  for (const chunk of inChunks(addresses, HOLDERS_PER_CALL)) {
    const asked = { addresses: chunk, blockHash };
    balances.push(
      ...((await byOverride(node, program, asked)) ?? (await tokensOneByOne(node, contract, asked))),
    );
  }
  return balances;
}

/** Null when the node has no state overrides. */
async function byOverride(
  node: RpcNode,
  { code, given }: Program,
  { addresses, blockHash }: At,
): Promise<readonly bigint[] | null> {
  const data = `0x${[...given, ...addresses.map(word)].join('')}`;
  let answer: string;
  try {
    const override = { [PROGRAM_ADDRESS]: { code } };
    const told = await node.call('eth_call', { to: PROGRAM_ADDRESS, data }, { blockHash }, override);
    answer = hexBytes(told, 'balances');
  } catch (error) {
    if (error instanceof RpcError) return null;
    throw error;
  }
  // A node that ignores the third parameter calls an address without code and answers nothing.
  if (answer === '0x') return null;
  if (answer.length !== 2 + 64 * addresses.length) throw new NodeFault('unusable answer: balances');
  return addresses.map((_, position) => BigInt(`0x${answer.slice(2 + 64 * position, 66 + 64 * position)}`));
}

async function oneByOne(node: RpcNode, { addresses, blockHash }: At): Promise<readonly bigint[]> {
  const calls = addresses.map((address) => ({ method: 'eth_getBalance', params: [address, { blockHash }] }));
  return (await node.batch(calls)).map((answer) => quantity(answer, 'balance'));
}

async function tokensOneByOne(
  node: RpcNode,
  contract: string,
  { addresses, blockHash }: At,
): Promise<readonly bigint[]> {
  const calls = addresses.map((address) => ({
    method: 'eth_call',
    params: [{ to: contract, data: balanceCall(address) }, { blockHash }],
  }));
  return (await node.batch(calls)).map((answer) => BigInt(hexBytes(answer, 'token balance', 32)));
}
