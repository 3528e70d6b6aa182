/**
 * Where a chain counts nonces, batches are signed for the first time in the order of their nonces.
 * Otherwise a refused payment would leave a free nonce below signed ones: using it up costs the
 * operator a transaction, and everybody behind it a block (safety.md G2). A batch behind a free
 * nonce gives its own back, too, and takes the lowest free one in the next run.
 */
import type { TransferBatch } from '../../../domain/sending/outgoing.ts';
import { failureOf } from '../../../domain/sending/outgoing-failure.ts';
import { batchOf, lockBatch, type SendingChain, type SendingNeeds } from '../sending-chain.ts';
import { NOT_NOW, type PreparedBatch, prepareBatch, type SigningResult, signPrepared } from './sign-batch.ts';
import { dissolveBatch } from './split-batch.ts';

/** `left`: its nonce is free, or one before it is. */
type TurnEnd = 'signed' | 'waits' | 'left';

export interface SigningTurn {
  /** How the turn before it ended; `signed`: all before it are signed, too, or it is the first. */
  readonly before: Promise<TurnEnd>;
  /** Ends the turn. Only the first call counts. */
  end(how: TurnEnd): void;
}

/** The turns of one run: each wallet's in the order they are asked for. Each must be ended. */
export function signingTurns(): (wallet: string) => SigningTurn {
  const last = new Map<string, Promise<TurnEnd>>();
  return (wallet) => {
    const before = last.get(wallet) ?? Promise.resolve('signed');
    const { promise, resolve } = Promise.withResolvers<TurnEnd>();
    last.set(wallet, promise);
    return { before, end: resolve };
  };
}

/**
 * Signs the first transaction of a batch when all before it are signed; nodes are asked before
 * that. `left`: it has no nonce any more. Throws ChainUnavailable and SignerUnavailable.
 */
export async function signInTurn(
  deps: SendingNeeds,
  on: SendingChain,
  batch: TransferBatch,
  turn: SigningTurn,
): Promise<SigningResult> {
  let end: TurnEnd = 'waits';
  try {
    const prepared = await prepareBatch(deps, on, batch, []);
    const before = await turn.before;
    const result = await signAfter(deps, on, prepared, before);
    end = result.kind === 'signed' ? 'signed' : await endUnsigned(deps, batch, before);
    return end === 'left' ? { kind: 'left' } : result;
  } finally {
    turn.end(end);
  }
}

async function signAfter(
  deps: SendingNeeds,
  on: SendingChain,
  prepared: PreparedBatch | SigningResult,
  before: TurnEnd,
): Promise<SigningResult> {
  if (prepared.kind !== 'prepared') return prepared;
  return before === 'signed' ? signPrepared(deps, on, prepared) : NOT_NOW;
}

/**
 * The end of the turn of a batch that was not signed. Where a nonce before its own is free, it
 * gives its own back.
 */
function endUnsigned(
  { unitOfWork }: SendingNeeds,
  [{ transferBatchId }]: TransferBatch,
  before: TurnEnd,
): Promise<'waits' | 'left'> {
  return unitOfWork.run(async (repositories) => {
    if (before === 'left') {
      await lockBatch(repositories, transferBatchId);
      const reason = failureOf('unused_sequence', 'a nonce before its own is free');
      await dissolveBatch(repositories, transferBatchId, reason);
    }
    return (await batchOf(repositories, transferBatchId)) === null ? 'left' : 'waits';
  });
}
