/** Combines the next nonces of a wallet that the nodes of a chain report. */

import { larger, smaller } from '../../../../domain/money/larger.ts';
import { ChainUnavailable } from '../../../../ports/chains/chain-scanner.ts';
import type { ReportedNonces } from '../../../../ports/sending/chain-sender.ts';
import type { NodePool } from '../nodes/node-pool.ts';

/**
 * A node returns null for a wallet that it does not know; if all do, the nonce is zero. `what`
 * names the count in the message of ChainUnavailable, which is thrown when no node answers.
 */
export async function reportedNonces<Node>(
  { chain, pool }: { chain: string; pool: Pick<NodePool<Node>, 'every' | 'size'> },
  what: string,
  ask: (node: Node) => Promise<bigint | null>,
): Promise<ReportedNonces> {
  const answers = await pool.every(ask);
  if (answers.length === 0) throw new ChainUnavailable(`${chain}: no node told the ${what}`);
  const told = answers.filter((answer) => answer !== null);
  if (told.length === 0) return { lowest: 0n, highest: 0n, complete: answers.length === pool.size };
  return { lowest: told.reduce(smaller), highest: told.reduce(larger), complete: told.length === pool.size };
}
