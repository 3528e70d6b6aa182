/**
 * Circuit breakers of destinations (domain/webhooks/receiver-circuit.ts), shared by all processes.
 */
import type { Circuit } from '../../domain/webhooks/receiver-circuit.ts';

export interface ReceiverCircuits {
  /**
   * Applies the results of attempts, at most one entry per destination; returns changed circuits.
   */
  note(met: readonly MetDestination[]): Promise<readonly CircuitChange[]>;
  /**
   * Begins the trials of open circuits that are due, and returns their destinations. The caller
   * makes one attempt at each by `until`. Of several callers only one gets a trial.
   */
  beginTrials(
    destinations: readonly string[],
    request: { now: Date; until: Date },
  ): Promise<readonly string[]>;
  /** Deletes circuits unchanged since `before`: nothing is left to send there. */
  forget(before: Date): Promise<void>;
  /** Open circuits, longest silent first; for operators. */
  open(limit: number): Promise<readonly OpenCircuit[]>;
}

export interface OpenCircuit extends Omit<Circuit, 'merchants'> {
  readonly destination: string;
  /** When the first attempt of the unanswered series ended. */
  readonly silentSince: Date;
  /** For people: why the last attempt got no answer. */
  readonly reason: string;
  /** Pending deliveries; `merchants`: how many merchants they belong to. */
  readonly waiting: number;
  readonly merchants: number;
}

export interface MetDestination {
  readonly destination: string;
  /** An attempt was answered, with any status. */
  readonly answered: boolean;
  /** How many got no answer; `merchants`: whose they were. */
  readonly silent: number;
  readonly merchants: readonly string[];
  readonly at: Date;
  /** For people: why the last one got no answer. */
  readonly reason: string;
}

export interface CircuitChange {
  readonly destination: string;
  readonly isOpen: boolean;
  readonly tryAt: Date | null;
  readonly reason: string;
}
