/**
 * Which jobs have something to do: most polls find nothing, so in a history those begin seldom, and
 * its points go to work. What decides is the same on every tier.
 */
import type { FakeChain } from '../../../src/adapters/chains/fake/fake-chain.ts';
import type { Restless } from './laws.ts';
import type { RunningProcess } from './processes.ts';

export interface WorkThereIs {
  /** Looks at chains and books: once in each turn. */
  look(open: readonly Restless[]): Promise<void>;
  hasWork(running: RunningProcess, job: string): boolean;
  /** The job read everything that was there when it began. */
  begins(running: RunningProcess, job: string): void;
}

const CHAIN_JOB = 'chain:';
const SEND_JOB = 'send:';

export function workThereIs(chains: ReadonlyMap<string, FakeChain>): WorkThereIs {
  const news = new Map<string, string>();
  const read = new WeakMap<RunningProcess, Map<string, string>>();
  let sending = new Set<string>();
  let kinds = new Set<string>();
  const readBy = (running: RunningProcess): Map<string, string> => {
    const known = read.get(running) ?? new Map<string, string>();
    read.set(running, known);
    return known;
  };
  return {
    async look(open) {
      kinds = new Set(open.map(({ what }) => what.split(' ')[0]!));
      sending = new Set(
        open.flatMap(({ what, asset }) =>
          what === 'payout'
            ? [asset.slice(asset.indexOf('_') + 1)]
            : what.startsWith('transfer')
              ? [asset]
              : [],
        ),
      );
      for (const [name, { scanner, control }] of chains) {
        const { tip } = await scanner.head();
        news.set(name, `${tip.hash} ${control.waiting().length}`);
      }
    },
    hasWork(running, job) {
      if (job.startsWith(CHAIN_JOB)) {
        const name = job.slice(CHAIN_JOB.length);
        return readBy(running).get(name) !== news.get(name);
      }
      if (job.startsWith(SEND_JOB)) return sending.has(job.slice(SEND_JOB.length));
      if (job === 'screen-deposits') return kinds.has('deposit');
      if (job === 'deliver-webhooks') return kinds.has('webhook');
      return false;
    },
    begins(running, job) {
      if (!job.startsWith(CHAIN_JOB)) return;
      const name = job.slice(CHAIN_JOB.length);
      readBy(running).set(name, news.get(name) ?? '');
    },
  };
}
