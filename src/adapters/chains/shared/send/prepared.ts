/**
 * Prepares a transaction on the first node that can. A fault of a payment counts only when all
 * nodes that answer report it: a payment that would revert is given up, and one that cannot be
 * tried is postponed.
 */
import { SendingRefused, type UnsignedTransaction } from '../../../../ports/sending/chain-sender.ts';
import type { NodePool } from '../nodes/node-pool.ts';

type RefusalReason = SendingRefused['because'];

export async function preparedOn<Node>(
  { pool, chain }: { pool: Pick<NodePool<Node>, 'size' | 'use' | 'every'>; chain: string },
  attempt: (node: Node) => Promise<UnsignedTransaction>,
): Promise<UnsignedTransaction> {
  try {
    return await pool.use(attempt);
  } catch (error) {
    const asksOthers = error instanceof SendingRefused && ['undone', 'untried'].includes(error.because);
    if (!asksOthers || pool.size === 1) throw error;
    const said = await pool.every((node) => attempt(node).catch(refusalOf));
    const prepared = said.find((answer) => typeof answer !== 'string');
    if (error.because === 'untried' && prepared !== undefined) return prepared;
    if (said.length > 0 && said.every((answer) => answer === error.because)) throw error;
    throw new SendingRefused('unclear', `${chain}: the nodes disagree whether it goes through`);
  }
}

function refusalOf(error: unknown): RefusalReason {
  if (error instanceof SendingRefused) return error.because;
  throw error;
}
