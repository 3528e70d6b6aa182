/** Look-ups at several nodes: a node that lags must not make a block or a transaction look gone. */
import type { TransactionStatus } from '../../../../ports/chains/chain-scanner.ts';
import type { NodePool } from './node-pool.ts';

/** The result of the first node to answer, or else of any other; null when none has it. */
export async function firstFound<Node, Found>(
  pool: NodePool<Node>,
  read: (node: Node) => Promise<Found | null>,
): Promise<Found | null> {
  const found = await pool.use(read);
  if (found !== null || pool.size === 1) return found;
  return (await pool.every(read)).find((other) => other !== null) ?? null;
}

/** Mined if one node has it in a block, else pending if it waits at one. */
export async function bestStatus<Node>(
  pool: NodePool<Node>,
  statusOf: (node: Node) => Promise<TransactionStatus>,
): Promise<TransactionStatus> {
  const first = await pool.use(statusOf);
  if (first.state === 'mined' || pool.size === 1) return first;
  const places = [first, ...(await pool.every(statusOf))];
  return (
    places.find(({ state }) => state === 'mined') ?? places.find(({ state }) => state === 'pending') ?? first
  );
}
