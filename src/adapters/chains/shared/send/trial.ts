/**
 * Tries a payment on a node before it is signed. One recipient may take a node longer than all
 * others together, or make it refuse. That counts as a fault of this payment, and the node
 * continues with the others (safety.md G4).
 */
import { SendingRefused } from '../../../../ports/sending/chain-sender.ts';
import { NodeError, NodeSlow, RpcError } from '../nodes/node-errors.ts';
import { inHaste } from '../nodes/urgency.ts';

/** Far below the time-out of a node, and far above what an ordinary payment takes. */
const TRIAL_MS = 4_000;

export interface Trial<Answer> {
  readonly label: string;
  /** Default TRIAL_MS. */
  readonly deadlineMs?: number | undefined;
  ask(): Promise<Answer>;
  /**
   * The same with an ordinary payment: if that fails too, the node cannot try any payment at
   * present.
   */
  control(): Promise<unknown>;
  /** The index of the payment in the order (SendingRefused.payment), where there are several. */
  readonly payment?: number;
}

/**
 * The result of `ask`. SendingRefused `untried` when the node refuses, fails or takes too long,
 * although `control` succeeds. Other errors of `ask` are passed on, and so are errors of `control`:
 * then the node is at fault.
 */
export async function tried<Answer>(trial: Trial<Answer>): Promise<Answer> {
  try {
    return await within(trial, trial.ask());
  } catch (error) {
    if (!(error instanceof RpcError || error instanceof NodeSlow || error instanceof NodeError)) throw error;
    // It must show what the node can do now.
    await within(
      trial,
      inHaste({ round: null }, () => trial.control()),
    );
    throw new SendingRefused('untried', `it cannot be tried: ${error.message}`, trial.payment);
  }
}

/** The result of `asked`, or NodeSlow. */
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
