/**
 * Where a chain counts nonces, batches are signed for the first time in the order of their nonces.
 * Otherwise a refused payment would leave a free nonce below signed ones: using it up costs the
 * operator a transaction, and everybody behind it a block (safety.md G2). A batch behind a free
 * nonce gives its own back, too, and takes the lowest free one in the next step.
 */
import type { TransferBatch } from '../../../domain/sending/outgoing.ts';
import { failureOf } from '../../../domain/sending/outgoing-failure.ts';
import { batchOf, lockBatch, type SendingChain, type SendingNeeds } from '../sending-chain.ts';
import { type SigningResult, signBatch } from './sign-batch.ts';
import { dissolveBatch } from './split-batch.ts';

/** `left`: its nonce is free, or one before it is. */
type TurnEnd = 'signed' | 'waits' | 'left';

export interface SigningTurn {
  /** What became of the turn before it, and so of all before that; `signed` for the first. */
  readonly before: Promise<TurnEnd>;
  /** Ends the turn. Only the first call counts. */
  end(how: TurnEnd): void;
}

/** The turns of one step: each wallet's in the order they are asked for. Each must be ended. */
export function signingTurns(): (wallet: string) => SigningTurn {
  const last = new Map<string, Promise<TurnEnd>>();
  return (wallet) => {
    const before = last.get(wallet) ?? Promise.resolve('signed');
    const { promise, resolve } = Promise.withResolvers<TurnEnd>();
    last.set(wallet, promise);
    return { before, end: resolve };
  };
}

/** Signs the first transaction of a batch when it is its turn. `left`: it has no nonce any more. */
export async function signInTurn(
  deps: SendingNeeds,
  on: SendingChain,
  batch: TransferBatch,
  { before, end }: SigningTurn,
): Promise<SigningResult> {
  let how: TurnEnd = 'waits';
  try {
    const result = await signBatch(deps, on, batch, [], async () => (await before) === 'signed');
    if (result.kind === 'signed') how = 'signed';
    else if (await hasLeft(deps, batch, (await before) === 'left')) how = 'left';
    return how === 'left' ? { kind: 'left' } : result;
  } finally {
    end(how);
  }
}

/**
 * Whether a batch that was not signed has no nonce any more. `leaves`: a nonce before its own is
 * free, and it gives its own back.
 */
function hasLeft(
  { unitOfWork }: SendingNeeds,
  [{ transferBatchId }]: TransferBatch,
  leaves: boolean,
): Promise<boolean> {
  return unitOfWork.run(async (repositories) => {
    if (leaves) {
      await lockBatch(repositories, transferBatchId);
      await dissolveBatch(
        repositories,
        transferBatchId,
        failureOf('unused_sequence', 'a nonce before its own is free'),
      );
    }
    return (await batchOf(repositories, transferBatchId)) === null;
  });
}
