/**
 * Groups invoices that are created at the same time into one statement and one commit: the first goes at once, those that
 * come while it is under way form the next batch. Each caller gets its own answer (performance.md, "Creating an invoice").
 */
import type { Invoice } from '../../domain/invoice-record.ts';
import type { InvoiceIntake } from '../../ports/invoice-intake.ts';
import type { IssuedAddress } from '../../ports/repositories.ts';
import { type Database, DatabaseUnavailable } from './client.ts';
import { insertInvoices, type NewInvoice } from './insert-invoices.ts';

const BATCH_MAX = 64;

interface Waiting extends NewInvoice {
  resolve(stored: Invoice): void;
  reject(reason: unknown): void;
}

export function postgresInvoiceIntake(database: Database): InvoiceIntake {
  const queue: Waiting[] = [];
  let running = false;

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.splice(0, BATCH_MAX);
      try {
        await write(database, batch);
      } catch (error) {
        if (error instanceof DatabaseUnavailable) {
          // Whoever waits would only wait for the same answer.
          for (const waiting of [...batch, ...queue.splice(0)]) waiting.reject(error);
        } else {
          await writeSingly(database, batch);
        }
      }
    }
    // In the same turn as the last look at the queue, so that nobody is left in it.
    running = false;
  }

  return {
    add(invoice: Invoice, address: IssuedAddress | null) {
      const { promise, resolve, reject } = Promise.withResolvers<Invoice>();
      queue.push({ invoice, address, resolve, reject });
      if (!running) {
        running = true;
        // Later in this turn, so that the requests of one turn share a commit.
        queueMicrotask(drain);
      }
      return promise;
    },
  };
}

async function write(database: Database, batch: readonly Waiting[]): Promise<void> {
  const createdAt = await insertInvoices(database, batch);
  for (const { invoice, resolve, reject } of batch) {
    const stored = createdAt.get(invoice.id);
    if (stored === undefined) reject(new Error(`invoice ${invoice.id} is of an unknown merchant`));
    else resolve({ ...invoice, createdAt: stored });
  }
}

/** The statement was refused for one of them, and nothing was written: the others must not fail with it. */
async function writeSingly(database: Database, batch: readonly Waiting[]): Promise<void> {
  for (const waiting of batch) {
    try {
      await write(database, [waiting]);
    } catch (error) {
      waiting.reject(error);
    }
  }
}
