/**
 * Backups of the books, and what a restore of an older one loses. Nodes, receivers and merchants go
 * on from where they are. What the laws ask of the lost is in laws.ts of the world.
 */
import { prepareRestored } from '../../../../src/app/sending/restart/prepare-restored.ts';
import { PERMANENT_FAMILIES } from '../../../../src/domain/catalog/family.ts';
import type { Logger } from '../../../../src/ports/runtime/logger.ts';
import type { Interleaving } from '../interleaving.ts';
import type { PayoutRow } from '../laws.ts';
import type { RunningProcess } from '../processes.ts';
import type { Storage } from '../storages.ts';
import type { KeptMarks } from '../world-parts.ts';
import type { Intent } from './stage.ts';

/** What was in the books before a restore, and not after it. */
export interface Lost {
  /** By X-Uniq-Id. A payout of the same X-Uniq-Id that is ordered again is another one. */
  readonly payouts: ReadonlyMap<string, readonly PayoutRow[]>;
  /** Normalized: nobody watches them any more. */
  readonly addresses: ReadonlySet<string>;
  /** Of signed transactions: they are unknown ones now. */
  readonly txids: ReadonlySet<string>;
}

export interface Backups {
  readonly lost: Lost;
  readonly restores: number;
  take(): Promise<void>;
  /** Ends all processes, puts the newest backup back, and prepares it; nothing without one. */
  putBack(): Promise<void>;
}

export interface BackupParts {
  readonly order: Interleaving;
  readonly storage: Storage;
  readonly marks: KeptMarks;
  readonly logger: Logger;
  readonly intents: readonly Intent[];
  processes(): readonly RunningProcess[];
}

/** Addresses that operators skip: more than a history gives out. */
const SKIP = 500;
const DOWNTIME_MAX_S = 900;

interface Census {
  readonly payouts: ReadonlyMap<string, readonly PayoutRow[]>;
  readonly addresses: readonly string[];
  readonly txids: readonly string[];
}

export function backupsOf({ order, storage, marks, logger, intents, processes }: BackupParts): Backups {
  let backup: { putBack(): Promise<void>; oldMarks(): void } | null = null;
  let restores = 0;
  const payouts = new Map<string, readonly PayoutRow[]>();
  const addresses = new Set<string>();
  const txids = new Set<string>();

  async function census(): Promise<Census> {
    const found = new Map<string, readonly PayoutRow[]>();
    for (const { uniqId, to } of intents) found.set(uniqId, await storage.books.payoutsTo(to));
    return {
      payouts: found,
      addresses: await storage.books.addresses(),
      txids: await storage.idsOf('signed'),
    };
  }

  /** Merchants notice half of what is lost, and order that again. */
  function lose(before: Census, after: Census): void {
    const addressesLeft = new Set(after.addresses);
    const txidsLeft = new Set(after.txids);
    for (const one of before.addresses) if (!addressesLeft.has(one)) addresses.add(one);
    for (const one of before.txids) if (!txidsLeft.has(one)) txids.add(one);
    for (const intent of intents) {
      const left = new Set(after.payouts.get(intent.uniqId)!.map(({ id }) => id));
      const gone = before.payouts.get(intent.uniqId)!.filter(({ id }) => !left.has(id));
      if (gone.length === 0) continue;
      payouts.set(intent.uniqId, [...(payouts.get(intent.uniqId) ?? []), ...gone]);
      if (intent.state === 'accepted' && order.random.int(2) === 0) intent.state = 'unknown';
    }
  }

  function prepare(): Promise<unknown> {
    const { unitOfWork } = storage;
    const liveDerivers = new Map(PERMANENT_FAMILIES.map((family) => [family, null]));
    const clock = { now: () => new Date(order.nowMs) };
    return prepareRestored({ unitOfWork, clock, logger, issuedIndexes: marks, liveDerivers }, SKIP);
  }

  return {
    lost: { payouts, addresses, txids },
    get restores() {
      return restores;
    },
    async take() {
      const putBack = await order.real(() => storage.copy());
      backup = { putBack, oldMarks: marks.keep() };
    },
    async putBack() {
      if (backup === null) return;
      const { putBack, oldMarks } = backup;
      for (const { process } of processes()) order.kill(process);
      await order.quiet();
      for (const { process } of processes()) order.letGo(process);
      const before = await order.real(census);
      await order.real(putBack);
      // Nothing newer is left of them on the lost machine.
      if (order.random.int(3) === 0) oldMarks();
      order.pass(order.random.int(DOWNTIME_MAX_S) * 1_000);
      lose(before, await order.real(census));
      await order.real(prepare);
      restores += 1;
      const counts = `${payouts.size} payouts, ${addresses.size} addresses, ${txids.size} transactions`;
      order.story.tell('act', { by: 'operator', what: `puts the backup back; lost so far: ${counts}` });
    },
  };
}
