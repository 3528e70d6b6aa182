/**
 * Where a chain counts nonces, batches are signed for the first time in the order of their nonces.
 * Otherwise a refused payment would leave a free nonce below signed ones: using it up costs the
 * operator a transaction, and everybody behind it a block (safety.md G2). A batch behind a free
 * nonce gives its own back, too, and takes the lowest free one in the next run.
 */
import type { TransferBatch } from '../../../domain/sending/outgoing.ts';
import { failureOf } from '../../../domain/sending/outgoing-failure.ts';
import { batchOf, lockBatch, type SendingNeeds } from '../sending-chain.ts';
import { type BatchSigner, NOT_NOW, type PreparedBatch, type SigningResult } from './sign-batch.ts';
import { type CountAttempt, hasOpenAttempts, isCounted } from './signing-attempts.ts';
import { dissolveBatch } from './split-batch.ts';
import type { SigningLine } from './store-signed.ts';

/** `left`: its nonce is free, or one before it is. */
type TurnEnd = 'signed' | 'waits' | 'left';

export interface SigningTurn {
  /**
   * How the turn before it ended; `signed`: all before it are signed, too, or it is the first.
   * Bytes are stored in this order (store-signed.ts).
   */
  readonly before: Promise<TurnEnd>;
  readonly line: SigningLine;
  /** Ends the turn. Only the first call counts. */
  end(how: TurnEnd): void;
}

/** The turns of one run: each wallet's in the order they are asked for. Each must be ended. */
export function signingTurns(): (wallet: string) => SigningTurn {
  const last = new Map<string, Pick<SigningTurn, 'before' | 'line'>>();
  return (wallet) => {
    const first = { before: Promise.resolve('signed' as const), line: newLine() };
    const { before, line } = last.get(wallet) ?? first;
    const { promise, resolve } = Promise.withResolvers<TurnEnd>();
    last.set(wallet, { before: promise, line });
    return { before, line, end: resolve };
  };
}

const newLine = (): SigningLine => ({ signed: 0, stored: 0, broken: false });

/** What signs in turn. */
export interface InTurn {
  readonly deps: SendingNeeds;
  readonly signer: BatchSigner;
  readonly countAttempt: CountAttempt;
}

/**
 * Signs the first transaction of a batch when all before it are signed; nodes are asked, and the
 * attempt is counted, before that. `left`: it has no nonce any more. Throws ChainUnavailable and
 * SignerUnavailable.
 */
export async function signInTurn(
  { deps, signer, countAttempt }: InTurn,
  batch: TransferBatch,
  turn: SigningTurn,
): Promise<SigningResult> {
  let end: TurnEnd = 'waits';
  try {
    const prepared = await signer.prepare(batch, []);
    const counted = prepared.kind === 'prepared' && (await countAttempt(batch));
    const before = await turn.before;
    const asks = counted && before === 'signed' && !turn.line.broken;
    const result = asks ? await signAhead(signer, prepared, turn) : unasked(prepared);
    // Only bytes that were signed may be lost.
    const takeBack = counted && (!asks || result.kind === 'refused') && isCounted(batch);
    end = result.kind === 'signed' ? 'signed' : await endUnsigned(deps, batch, { before, takeBack });
    return end === 'left' ? { kind: 'left' } : result;
  } finally {
    turn.end(end);
  }
}

const unasked = (prepared: PreparedBatch | SigningResult): SigningResult =>
  prepared.kind === 'prepared' ? NOT_NOW : prepared;

function signAhead(
  signer: BatchSigner,
  prepared: PreparedBatch,
  { line, end }: SigningTurn,
): Promise<SigningResult> {
  return signer.sign(prepared, () => {
    const nth = line.signed;
    line.signed += 1;
    // The next one is signed while these bytes are stored.
    end('signed');
    return { line, nth };
  });
}

/**
 * The end of the turn of a batch that was not signed. Where a nonce before its own is free, it
 * gives its own back, unless the signer may have signed for it: then what fills the gap
 * (fill-nonce-gaps.ts), or another payout, uses that nonce up.
 */
function endUnsigned(
  { unitOfWork }: SendingNeeds,
  [{ transferBatchId }]: TransferBatch,
  { before, takeBack }: { readonly before: TurnEnd; readonly takeBack: boolean },
): Promise<'waits' | 'left'> {
  return unitOfWork.run(async (repositories) => {
    const locked = takeBack || before === 'left' ? await lockBatch(repositories, transferBatchId) : null;
    if (locked !== null) {
      const keeps = await hasOpenAttempts(repositories, locked.batch, { takeBack });
      const reason = failureOf('unused_sequence', 'a nonce before its own is free');
      if (before === 'left' && !keeps) await dissolveBatch(repositories, transferBatchId, reason);
    }
    return (await batchOf(repositories, transferBatchId)) === null ? 'left' : 'waits';
  });
}
