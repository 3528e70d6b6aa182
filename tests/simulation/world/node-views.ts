/**
 * What the nodes of one process show of a chain, while those of another show something else: they
 * lag, by more or less at each call, do not agree, hide transactions, or refuse some calls.
 */
import type { OtherNodes } from '../../../src/adapters/chains/fake/fake-chain.ts';
import { type Agreement, ChainUnavailable, type Transfer } from '../../../src/ports/chains/chain-scanner.ts';
import type { SendingOutcome } from '../../../src/ports/sending/chain-sender.ts';
import type { Interleaving, SimulatedProcess } from './interleaving.ts';

/** Of one process from now on. */
export interface NodeFaults {
  readonly lag: number;
  /** Some calls are answered as if there were no lag: machines behind one address (R10). */
  readonly flaps: boolean;
  readonly disagrees: boolean;
  /** Transactions that they do not show before these are final. */
  readonly hidden: ReadonlySet<string>;
  /** So many calls are refused. */
  readonly limited: number;
}

export interface NodeView extends OtherNodes {
  /** Before each call: throws ChainUnavailable where the node refuses it. */
  asked(): void;
  /** What is shown of an answer of the method. */
  shown(method: string, args: readonly unknown[], answer: unknown): unknown;
}

export interface NodeViews {
  of(process: SimulatedProcess, chain: string): NodeView;
  /** For all processes. */
  spoilAll(chain: string, faults: Pick<NodeFaults, 'lag' | 'disagrees'>): void;
  spoil(process: SimulatedProcess, chain: string, faults: NodeFaults): void;
  /** All nodes are right again. */
  mend(): void;
}

const RIGHT: NodeFaults = { lag: 0, flaps: false, disagrees: false, hidden: new Set(), limited: 0 };

export function nodeViews(order: Pick<Interleaving, 'random'>): NodeViews {
  const own = new Map<string, NodeFaults>();
  const all = new Map<string, Pick<NodeFaults, 'lag' | 'disagrees'>>();
  const keyOf = ({ name }: SimulatedProcess, chain: string): string => `${name} ${chain}`;

  function viewOf(key: string, chain: string): NodeView {
    let lag = 0;
    const faults = (): NodeFaults => own.get(key) ?? RIGHT;
    return {
      missing: () => Math.max(all.get(chain)?.lag ?? 0, lag),
      disagreeing: () => all.get(chain)?.disagrees === true || faults().disagrees,
      asked() {
        const now = faults();
        lag = now.flaps && order.random.int(2) === 0 ? 0 : now.lag;
        if (now.limited === 0) return;
        own.set(key, { ...now, limited: now.limited - 1 });
        throw new ChainUnavailable('simulated: 429 for a while', 'limited');
      },
      shown: (method, args, answer) => without(faults().hidden, { method, args, answer }),
    };
  }

  return {
    of: (process, chain) => viewOf(keyOf(process, chain), chain),
    spoilAll: (chain, faults) => void all.set(chain, faults),
    spoil: (process, chain, faults) => void own.set(keyOf(process, chain), faults),
    mend() {
      own.clear();
      all.clear();
    },
  };
}

/** Only what is not final is hidden: nodes are compared before more is believed (safety.md A3). */
function without(
  hidden: ReadonlySet<string>,
  { method, args, answer }: { method: string; args: readonly unknown[]; answer: unknown },
): unknown {
  if (hidden.size === 0) return answer;
  switch (method) {
    case 'pending':
      return (answer as readonly Transfer[] | null)?.filter(({ txid }) => !hidden.has(txid)) ?? null;
    case 'confirmWithNodes': {
      const agreement = answer as Agreement;
      const claimed = args[1] as readonly Transfer[];
      if (agreement.kind !== 'agreed') return answer;
      return { ...agreement, disputed: claimed.filter(({ txid }) => hidden.has(txid)) };
    }
    case 'outcome': {
      const outcome = answer as SendingOutcome;
      return outcome.kind === 'waiting' && hidden.has(outcome.txid) ? { kind: 'unseen' } : answer;
    }
    default:
      return answer;
  }
}
