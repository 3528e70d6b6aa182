/**
 * The extra cost of recipients, read from a node while a caller waits for it. Where the answer is
 * late, or no node can tell, the result is empty and the check before signing decides (safety.md
 * G1).
 */
import { ChainUnavailable } from '../../../../ports/chains/chain-scanner.ts';
import type { RecipientPrice } from '../../../../ports/sending/recipient-pricing.ts';
import { NodeSlow } from '../nodes/node-errors.ts';
import type { NodePool } from '../nodes/node-pool.ts';
import { within } from './trial.ts';

const DEADLINE_MS = 2_000;

/** The result of `ask` for `count` payments, in their order. */
export async function pricesInTime<Node>(
  {
    chain,
    pool,
    quoteMs,
  }: { chain: string; pool: Pick<NodePool<Node>, 'use'>; quoteMs?: number | undefined },
  count: number,
  ask: (node: Node) => Promise<readonly (RecipientPrice | null)[]>,
): Promise<readonly (RecipientPrice | null)[]> {
  try {
    return await within({ label: chain, deadlineMs: quoteMs ?? DEADLINE_MS }, pool.use(ask));
  } catch (error) {
    if (error instanceof ChainUnavailable || error instanceof NodeSlow)
      return Array.from({ length: count }, () => null);
    throw error;
  }
}
