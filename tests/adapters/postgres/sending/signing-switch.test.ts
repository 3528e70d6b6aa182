/** The kill switch on a real PostgreSQL, while workers sign. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import type { Repositories } from '../../../../src/ports/repositories.ts';
import { NOW } from '../../../support/builders.ts';
import { postgresAvailable, testDatabase } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';
import { within } from '../../../support/runtime/poll.ts';

const STOP = { at: NOW, note: 'a drill' };

describe.skipIf(!needs('postgres', postgresAvailable()))('the switch of signing in postgres', () => {
  let opened: Awaited<ReturnType<typeof testDatabase>>;
  beforeAll(async () => {
    opened = await testDatabase();
  });
  afterAll(() => opened.drop());
  const run = <T>(work: (repositories: Repositories) => Promise<T>): Promise<T> =>
    postgresUnitOfWork(opened.database).run(work);
  const set = (stop: typeof STOP | null) => run(({ outgoing }) => outgoing.setSigningStopped(stop));

  test('is thrown in time, though there always is a transaction that signs', async () => {
    await set(null);
    let goesOn = true;
    const ended: Promise<unknown>[] = [];
    /** Resolves once it has read the switch. It ends when the next one has read it, too. */
    const sign = (): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const signing = run(async ({ outgoing }) => {
        await outgoing.signingStopped();
        resolve();
        await Bun.sleep(25);
        if (goesOn) await Promise.race([sign(), Bun.sleep(50)]);
      });
      ended.push(signing);
      return promise;
    };
    await Promise.all([sign(), sign(), sign()]);
    try {
      await within('the stop', 2_000, set(STOP));
    } finally {
      goesOn = false;
      for (const each of ended) await each;
    }
    expect(await run(({ outgoing }) => outgoing.findSigningStop())).toEqual(STOP);
  });

  test('lets a transaction that signs end first, and is seen by all that begin to sign after it', async () => {
    await set(null);
    const events: string[] = [];
    const isReading = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const signing = run(async ({ outgoing }) => {
      await outgoing.signingStopped();
      isReading.resolve();
      await mayEnd.promise;
      events.push('signed');
    });
    await isReading.promise;
    const stopping = set(STOP).then(() => events.push('stopped'));
    await Bun.sleep(100);
    // It begins while the stop waits, and is told of it.
    const late = run(({ outgoing }) => outgoing.signingStopped());
    // What only looks waits for nobody.
    expect(
      await within(
        'a look',
        1_000,
        run(({ outgoing }) => outgoing.findSigningStop()),
      ),
    ).toBeNull();
    mayEnd.resolve();
    await Promise.all([signing, stopping]);
    expect(events).toEqual(['signed', 'stopped']);
    expect(await late).toEqual(STOP);
  });
});
