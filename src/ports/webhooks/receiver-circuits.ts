/** The circuits of destinations (domain/webhooks/receiver-circuit.ts), shared by all processes and kept over restarts. */
import type { Circuit } from '../../domain/webhooks/receiver-circuit.ts';

export interface ReceiverCircuits {
  /** Applies what attempts met, at most one entry a destination, and answers which circuits opened or closed by it. */
  note(met: readonly MetDestination[]): Promise<readonly CircuitChange[]>;
  /**
   * Begins the trials of those circuits that are open and due, and answers their destinations: the caller makes one attempt
   * at each by `until`. Of several callers one gets it.
   */
  beginTrials(
    destinations: readonly string[],
    request: { now: Date; until: Date },
  ): Promise<readonly string[]>;
  /** Forgets circuits that nothing changed since `before`: there is nothing left to send there. */
  forget(before: Date): Promise<void>;
  /** Those that are open, silent for the longest time first; for operators. */
  open(limit: number): Promise<readonly OpenCircuit[]>;
}

export interface OpenCircuit extends Omit<Circuit, 'merchants'> {
  readonly destination: string;
  /** When the first of the attempts in a row ended that got no answer. */
  readonly silentSince: Date;
  /** For people: why the last attempt got none. */
  readonly reason: string;
  /** Deliveries that are not given up, and how many merchants' they are. */
  readonly waiting: number;
  readonly merchants: number;
}

export interface MetDestination {
  readonly destination: string;
  /** One of the attempts was answered, with whatever status. */
  readonly answered: boolean;
  /** How many got no answer, and whose they were. */
  readonly silent: number;
  readonly merchants: readonly string[];
  readonly at: Date;
  /** For people: why the last one got none. */
  readonly reason: string;
}

export interface CircuitChange {
  readonly destination: string;
  readonly isOpen: boolean;
  readonly tryAt: Date | null;
  readonly reason: string;
}
