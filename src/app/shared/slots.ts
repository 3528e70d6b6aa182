/**
 * Bounds what asks the nodes of a chain at the same time, while more work than that is under way:
 * what waits for others, or for the database, needs no slot.
 */
import { ChainUnavailable } from '../../ports/chains/chain-scanner.ts';

/** All slots are lost: this work was not begun. */
export class SlotsLost extends ChainUnavailable {
  constructor({ message, fault }: ChainUnavailable) {
    super(message, fault);
  }
}

export interface Slots {
  /**
   * Runs `work` in a slot, in the order of the calls. A slot whose work rejects with
   * ChainUnavailable is lost: nodes that do not answer are asked a bounded number of times. Once
   * all are lost, everything else is rejected with SlotsLost, which says what the last of these
   * errors does.
   */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Gives back what is lost. Nothing may be under way. */
  restore(): void;
}

export function slots(count: number): Slots {
  const waiting: (() => void)[] = [];
  let free = count;
  let left = count;
  let reason: ChainUnavailable | null = null;

  function refuse(): void {
    if (left === 0 && reason !== null) throw new SlotsLost(reason);
  }

  /** Lets the next one go; once all slots are lost, everything that waits. */
  function release(): void {
    const next = left === 0 ? waiting.splice(0) : waiting.splice(0, 1);
    if (next.length === 0) free += 1;
    for (const go of next) go();
  }

  return {
    restore() {
      free = count;
      left = count;
    },
    async run(work) {
      refuse();
      if (free > 0) free -= 1;
      else await new Promise<void>((go) => void waiting.push(go));
      refuse();
      try {
        const answer = await work();
        release();
        return answer;
      } catch (error) {
        if (error instanceof ChainUnavailable) {
          left -= 1;
          reason = error;
        }
        if (!(error instanceof ChainUnavailable) || left === 0) release();
        throw error;
      }
    },
  };
}
