/** Runs a contract on a node's state, without a transaction. */

import { fields, list } from '../shared/nodes/answers.ts';
import { RpcError } from '../shared/nodes/node-errors.ts';
import { amount, hexText, messageText } from './answers.ts';
import type { TronNode } from './node.ts';
import { type NodeLog, readLog } from './read/blocks.ts';

export type Called =
  | {
      readonly kind: 'done';
      /** What the method returned, in hex. */
      readonly answer: string;
      /** Energy used, including the penalty of a busy contract. */
      readonly energy: bigint;
      /** The penalty's part of it. */
      readonly penalty: bigint;
      /** Absent from nodes older than 2023. */
      readonly logs: readonly NodeLog[];
    }
  /** Reverted, or failed otherwise. */
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'no_contract' };

/**
 * Calls on the newest state, or on the solidified one. Addresses in hex, `41` first. RpcError when
 * the node does not run such calls.
 */
export async function constantCall(
  node: TronNode,
  call: { owner: string; contract: string; data: string; at?: 'wallet' | 'walletsolidity' },
): Promise<Called> {
  const { owner, contract, data, at = 'wallet' } = call;
  const answer = fields(
    await node.ask(`${at}/triggerconstantcontract`, {
      owner_address: owner,
      contract_address: contract,
      data,
    }),
    'constant call',
  );
  const result = fields(answer.result, 'result of a constant call');
  if (result.result !== true) {
    const reason = messageText(result.message);
    if (/contract is not exist|no contract/i.test(reason)) return { kind: 'no_contract' };
    // java-tron names the exception of its machine: an invalid opcode, energy that ran out. A
    // time-out is a fault of the node.
    if (/Program\$\w+Exception : /.test(reason) && !reason.includes('OutOfTime'))
      return { kind: 'failed', reason };
    throw new RpcError(0, `${node.label}: ${reason}`);
  }
  // A revert is a success with a message.
  if (result.message !== undefined) return { kind: 'failed', reason: messageText(result.message) };
  const [returned] = list(answer.constant_result ?? [], 'constant result');
  return {
    kind: 'done',
    answer: hexText(returned ?? '', 'constant result'),
    energy: amount(answer.energy_used, 'energy used'),
    penalty: amount(answer.energy_penalty, 'energy penalty'),
    logs: list(answer.logs ?? [], 'logs of a constant call').map(readLog),
  };
}
