/**
 * Whose turn it is among open batches, of some of which no node can tell what became: a few that
 * can never be told would take all slots in every step.
 */
import { boundedMap } from '../../../domain/bounded-map.ts';
import type { TransferBatch } from '../../../domain/sending/outgoing.ts';
import { ChainUnavailable } from '../../../ports/chains/chain-scanner.ts';
import { NOTES_MAX } from '../../shared/notes-max.ts';
import { SlotsLost } from '../../shared/slots.ts';

export interface UnclearBatches {
  /**
   * Begins a step with these batches, and returns them in two parts, one after the other. First, in
   * their order, all but those that were unclear when they were last tried; these follow, the
   * longest untried first. A batch that has to be signed in its order keeps its place.
   */
  turns(
    batches: readonly TransferBatch[],
    keepsPlace: (transferBatchId: string) => boolean,
  ): readonly (readonly TransferBatch[])[];
  /** The batch was advanced. */
  told(transferBatchId: string): void;
  /** It was not. What was refused only for lack of slots was not tried. */
  failed(transferBatchId: string, error: unknown): void;
}

export function unclearBatches(): UnclearBatches {
  /** The step in which nodes last could not tell what became of a batch. */
  const unclear = boundedMap<string, number>(NOTES_MAX);
  let step = 0;
  return {
    turns(batches, keepsPlace) {
      step += 1;
      const lastUnclear = ([{ transferBatchId }]: TransferBatch): number =>
        keepsPlace(transferBatchId) ? 0 : (unclear.get(transferBatchId) ?? 0);
      const later = batches.filter((batch) => lastUnclear(batch) > 0);
      return [
        batches.filter((batch) => lastUnclear(batch) === 0),
        later.toSorted((a, b) => lastUnclear(a) - lastUnclear(b)),
      ];
    },
    told: (transferBatchId) => unclear.delete(transferBatchId),
    failed(transferBatchId, error) {
      if (error instanceof ChainUnavailable && !(error instanceof SlotsLost))
        unclear.set(transferBatchId, step);
    },
  };
}
