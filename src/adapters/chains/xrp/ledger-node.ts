/**
 * One node of the XRP Ledger over JSON-RPC (rippled or Clio, API version 2). Its errors are results
 * with a name; they become the errors of the node pool.
 */
import { fields } from '../shared/nodes/answers.ts';
import type { NodeRefusal } from '../shared/nodes/node-budget.ts';
import { NodeLagging, RpcError } from '../shared/nodes/node-errors.ts';
import type { RpcNode } from '../shared/nodes/rpc-node.ts';

export interface LedgerNode {
  readonly label: string;
  /**
   * The result of a method. Throws XrpRefused when the node refuses, NodeLagging when it is out of
   * sync with the network, and NodeError when it cannot answer. rpcNode has seen to a node that is
   * overloaded.
   */
  ask(method: string, parameters: Readonly<Record<string, unknown>>): Promise<Fields>;
}

export type Fields = Readonly<Record<string, unknown>>;

/**
 * The node understood and refused: `token` is the protocol's name of the reason, for example
 * `txnNotFound`.
 */
export class XrpRefused extends RpcError {
  readonly token: string;
  /** Everything that came with the error. */
  readonly answer: Fields;
  constructor(label: string, token: string, answer: Fields) {
    const code = typeof answer.error_code === 'number' ? answer.error_code : 0;
    super(code, `${label}: ${token}`);
    this.token = token;
    this.answer = answer;
  }
}

/** Version 2: DeliverMax instead of Amount, and transactions apart from their metadata. */
const API_VERSION = 2;
const NOT_IN_STEP = ['noNetwork', 'noCurrent', 'noClosed', 'notSynced', 'notReady', 'amendmentBlocked'];
const OVERLOADED = ['tooBusy', 'slowDown'];

/** Whether a result means that the node was asked too often, for rpcNode. */
export function overloadIn(result: unknown): NodeRefusal | null {
  const isOverloaded = typeof result === 'object' && result !== null && 'error' in result;
  return isOverloaded && OVERLOADED.includes(String(result.error)) ? { afterMs: null } : null;
}

export function ledgerNode(node: RpcNode): LedgerNode {
  const { label } = node;
  return {
    label,
    async ask(method, parameters) {
      const answer = fields(await node.call(method, { ...parameters, api_version: API_VERSION }), method);
      if (answer.status !== 'error' && answer.error === undefined) return answer;
      const token = typeof answer.error === 'string' ? answer.error.slice(0, 40) : 'an error without a name';
      if (NOT_IN_STEP.includes(token)) throw new NodeLagging(`${label}: ${token}`);
      throw new XrpRefused(label, token, answer);
    },
  };
}

/** The result of `work`, or null when the node refuses for the reason of that name. */
export async function unless<T>(token: string, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof XrpRefused && error.token === token) return null;
    throw error;
  }
}
