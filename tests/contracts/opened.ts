/** The storage contracts run against this: an implementation's ports, opened on empty storage. */
import { afterAll, beforeAll } from 'bun:test';
import type { Merchant } from '../../src/domain/merchants/merchant.ts';
import type { Repositories, UnitOfWork } from '../../src/ports/repositories.ts';
import { aMerchant } from '../support/builders.ts';

export interface Opened {
  readonly unitOfWork: UnitOfWork;
  close(): Promise<void>;
}

export interface Storage<Ports extends Opened> {
  /** The ports of the tested implementation; only inside a test. */
  ports(): Ports;
  run<T>(work: (repositories: Repositories) => Promise<T>): Promise<T>;
  /** A separate merchant per test, so that tests do not see each other's rows. */
  merchant(given?: Partial<Merchant>): Promise<Merchant>;
}

/** Opens once for the enclosing `describe`, and closes after it. */
export function openedFor<Ports extends Opened>(open: () => Promise<Ports>): Storage<Ports> {
  let opened: Ports | null = null;
  beforeAll(async () => {
    opened = await open();
  }, 60_000);
  afterAll(async () => {
    await opened?.close();
  });
  const ports = (): Ports => {
    if (opened === null) throw new Error('the storage under test is not open');
    return opened;
  };
  const run: Storage<Ports>['run'] = (work) => ports().unitOfWork.run(work);
  return {
    ports,
    run,
    async merchant(given) {
      const merchant = aMerchant(given);
      await run((repositories) => repositories.merchants.insert(merchant));
      return merchant;
    },
  };
}
