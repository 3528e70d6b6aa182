/**
 * Keeps what was read of a list before a node failed: each answer may have cost a call of its plan
 * (safety.md R1).
 */
import { inChunks } from '../chunks.ts';
import { NodeError, NodeLagging, RpcError } from '../nodes/node-errors.ts';

/**
 * The results of `read` in order, `atOnce` at a time: for all items, or for those before the first
 * failure. Throws when the first item fails.
 */
export async function asFarAsRead<Item, Answer>(
  items: readonly Item[],
  atOnce: number,
  read: (item: Item) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (const some of inChunks(items, atOnce))
    for (const each of await Promise.allSettled(some.map(read))) {
      if (each.status === 'fulfilled') answers.push(each.value);
      else if (answers.length > 0 && isOfNode(each.reason)) return answers;
      else throw each.reason;
    }
  return answers;
}

const isOfNode = (error: unknown): boolean =>
  [NodeLagging, NodeError, RpcError].some((kind) => error instanceof kind);
