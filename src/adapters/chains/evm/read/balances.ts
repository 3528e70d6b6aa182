/**
 * Reads many balances at one block in few calls: tiny programs run under a state override, and
 * nothing is deployed.
 */

import { inChunks } from '../../shared/chunks.ts';
import { NodeError, RpcError } from '../../shared/nodes/node-errors.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { balanceAnswered, balanceCall } from '../contract.ts';
import { hexBytes, quantity } from '../decode.ts';

interface Program {
  readonly code: string;
  /** Hex digits before the addresses. */
  readonly given: string;
  /** An address of 40 digits as the call data holds it. */
  readonly asked: (address: string) => string;
  /** Hex digits of the answer for each address, in order. */
  readonly digits: number;
}

/**
 * For every 20 bytes of the call data: BALANCE of that address, in 16 bytes. All wei of a coin take
 * 12 at most, and Polygon's nodes refuse answers of more than 100,000 bytes unless they are told
 * otherwise (bor, rpc.returndatalimit).
 *
 *     00 PUSH1 00 PUSH1 00  m = i = 0
 *     04 JUMPDEST           loop
 *     05 DUP1 CALLDATASIZE GT ISZERO PUSH1 22 JUMPI    done when i >= size
 *     0c DUP1 CALLDATALOAD PUSH1 60 SHR BALANCE        of the address that begins at data[i]
 *     12 PUSH1 80 SHL DUP3 MSTORE                      memory[m..] = its lower 16 bytes
 *     17 PUSH1 14 ADD SWAP1 PUSH1 10 ADD SWAP1         i += 20, m += 16
 *     1f PUSH1 04 JUMP
 *     22 JUMPDEST SWAP1 PUSH1 00 RETURN                the first m bytes of memory
 */
const OF_COIN: Program = {
  code: '0x600060005b80361115602257803560601c3160801b825260140190601001906004565b906000f3',
  given: '',
  asked: (address) => address,
  digits: 32,
};

/**
 * The first word is a token. For every other: what its balanceOf(address) answers. Reverts when one
 * call does.
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

/** The pretended address of the programs. It is in use nowhere. */
const PROGRAM_ADDRESS = `0x${'b'.repeat(40)}`;
/**
 * Some 3,000 gas each with its call data: below the 16.8 million of one transaction (EIP-7825), in
 * 200 KB.
 */
const ADDRESSES_PER_CALL = 5_000;
/** Behind a proxy some 12,000 gas each. */
const HOLDERS_PER_CALL = 1_000;

/** Lower case. */
interface AddressesAtBlock {
  readonly addresses: readonly string[];
  readonly blockHash: string;
}

const word = (digits: string): string => digits.padStart(64, '0');

/**
 * Wei of each of `addresses` after the block `blockHash`, in order. RpcError when the node has no
 * such state any more.
 */
export async function balancesAt(
  node: RpcNode,
  { addresses, blockHash }: AddressesAtBlock,
): Promise<readonly bigint[]> {
  const balances: bigint[] = [];
  for (const chunk of inChunks(addresses, ADDRESSES_PER_CALL)) {
    const asked = { addresses: chunk, blockHash };
    balances.push(...((await byOverride(node, OF_COIN, asked)) ?? (await oneByOne(node, asked))));
  }
  return balances;
}

/**
 * The same by address; null where it would take a call for each, or the node no longer has the
 * state.
 */
export async function balancesTogether(
  node: RpcNode,
  { addresses, blockHash }: AddressesAtBlock,
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

/**
 * Like balancesAt, with a cache of the last block: the next range begins where the last one ended,
 * so its balances are not read twice.
 */
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

/**
 * Base units of the token `contract` (lower case) that each of `addresses` has after the block, in
 * order.
 */
export async function tokenBalancesAt(
  node: RpcNode,
  contract: string,
  { addresses, blockHash }: AddressesAtBlock,
): Promise<readonly bigint[]> {
  const program = { code: OF_TOKEN_CODE, given: word(contract.slice(2)), asked: word, digits: 64 };
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
  { code, given, asked, digits }: Program,
  { addresses, blockHash }: AddressesAtBlock,
): Promise<readonly bigint[] | null> {
  const data = `0x${given}${addresses.map((address) => asked(address.slice(2))).join('')}`;
  let answer: string;
  try {
    const override = { [PROGRAM_ADDRESS]: { code } };
    const told = await node.call('eth_call', { to: PROGRAM_ADDRESS, data }, { blockHash }, override);
    answer = hexBytes(told, 'balances');
  } catch (error) {
    if (error instanceof RpcError) return null;
    throw error;
  }
  // A node that ignores the third parameter calls an address without code and returns nothing.
  if (answer === '0x') return null;
  if (answer.length !== 2 + digits * addresses.length) throw new NodeError('unusable answer: balances');
  return addresses.map((_, position) => {
    const start = 2 + digits * position;
    return BigInt(`0x${answer.slice(start, start + digits)}`);
  });
}

async function oneByOne(
  node: RpcNode,
  { addresses, blockHash }: AddressesAtBlock,
): Promise<readonly bigint[]> {
  const calls = addresses.map((address) => ({ method: 'eth_getBalance', params: [address, { blockHash }] }));
  return (await node.batch(calls)).map((answer) => quantity(answer, 'balance'));
}

async function tokensOneByOne(
  node: RpcNode,
  contract: string,
  { addresses, blockHash }: AddressesAtBlock,
): Promise<readonly bigint[]> {
  const calls = addresses.map((address) => ({
    method: 'eth_call',
    params: [{ to: contract, data: balanceCall(address) }, { blockHash }],
  }));
  return (await node.batch(calls)).map((answer) => balanceAnswered(answer));
}
