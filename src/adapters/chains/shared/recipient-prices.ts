/**
 * What recipients cost beyond others, asked of a node while somebody waits for the answer: where it comes too late, or no node can
 * tell, nothing is told, and the check before signing decides (safety.md G1).
 */
import { ChainUnavailable } from '../../../ports/chain-scanner.ts';
import type { RecipientPrice } from '../../../ports/chain-sender.ts';
import { NodeSlow } from './faults.ts';
import type { NodePool } from './node-pool.ts';
import { within } from './trial.ts';

const DEADLINE_MS = 2_000;

export const NOTHING_MORE: RecipientPrice = { extraGas: 0n, extraUnits: 0n, ordinaryUnits: 0n };

/** Of each payment, in their order: of those that `concerns` what `ask` answers for them, in theirs; of the others that they cost nothing more. */
export async function pricesInTime<Node, Asked>(
  {
    chain,
    pool,
    quoteMs,
  }: { chain: string; pool: Pick<NodePool<Node>, 'use'>; quoteMs?: number | undefined },
  payments: readonly Asked[],
  concerns: (payment: Asked) => boolean,
  ask: (node: Node, payments: readonly Asked[]) => Promise<readonly (RecipientPrice | null)[]>,
): Promise<readonly (RecipientPrice | null)[]> {
  const asked = payments.filter(concerns);
  if (asked.length === 0) return payments.map(() => NOTHING_MORE);
  try {
    const answer = pool.use((node) => ask(node, asked));
    const told = (await within({ label: chain, deadlineMs: quoteMs ?? DEADLINE_MS }, answer)).values();
    return payments.map((payment) => (concerns(payment) ? (told.next().value ?? null) : NOTHING_MORE));
  } catch (error) {
    if (error instanceof ChainUnavailable || error instanceof NodeSlow) return payments.map(() => null);
    throw error;
  }
}
