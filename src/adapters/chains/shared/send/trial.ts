/**
 * A payment tried on a node before it is signed. One recipient may take a node longer than all others together, or have it
 * refuse: that is told as the trouble of that payment, and the node goes on serving the others (safety.md G4).
 */
import { SendingRefused } from '../../../../ports/sending/chain-sender.ts';
import { NodeError, NodeSlow, RpcError } from '../nodes/node-errors.ts';

/** Far below the time-out of a node, and far above what an ordinary payment takes. */
const TRIAL_MS = 4_000;

export interface Trial<Answer> {
  readonly label: string;
  /** Default TRIAL_MS. */
  readonly deadlineMs?: number | undefined;
  ask(): Promise<Answer>;
  /** The same with an ordinary payment: where that is too much, too, it is the node that cannot try at present. */
  control(): Promise<unknown>;
  /** Which payment of the order is tried (SendingRefused.payment), where there are several. */
  readonly payment?: number;
}

/**
 * What `ask` answers. SendingRefused `untried` when the node refuses, fails or takes too long, though it manages `control`. What
 * `ask` throws otherwise is passed on, and so is what `control` throws: a node that cannot try anything is the node's trouble.
 */
export async function tried<Answer>(trial: Trial<Answer>): Promise<Answer> {
  try {
    return await within(trial, trial.ask());
  } catch (error) {
    if (!(error instanceof RpcError || error instanceof NodeSlow || error instanceof NodeError)) throw error;
    await within(trial, trial.control());
    throw new SendingRefused('untried', `it cannot be tried: ${error.message}`, trial.payment);
  }
}

/** What `asked` answers, or NodeSlow. */
export async function within<Answer>(
  { label, deadlineMs = TRIAL_MS }: Pick<Trial<unknown>, 'label' | 'deadlineMs'>,
  asked: Promise<Answer>,
): Promise<Answer> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new NodeSlow(`${label}: no answer within ${deadlineMs} ms`)),
    deadlineMs,
  );
  try {
    return await Promise.race([asked, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
