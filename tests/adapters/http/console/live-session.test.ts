/** The stream of an open page ends with the session, and with the role, of whoever opened it. */
import { afterEach, describe, expect, test } from 'bun:test';
import { type LiveHub, liveHub } from '../../../../src/adapters/http/checkout/live/live-hub.ts';
import type { SignedIn } from '../../../../src/app/accounts/accounts.ts';
import { StorageUnavailable } from '../../../../src/ports/repositories.ts';
import { consoleStage, OTHER, OWN, type Person, signedIn } from '../../../support/console/console-stage.ts';
import { silentLogger } from '../../../support/runtime/silent-logger.ts';

const OWNER: Person = { role: 'owner' };
const TOKEN = 'a'.repeat(43);

describe('an open stream', () => {
  let present: () => SignedIn | null;
  let hub: LiveHub;
  const asked: (string | undefined)[] = [];
  afterEach(() => hub.close());

  async function opened(by: Person, query: string): Promise<ReadableStreamDefaultReader<Uint8Array>> {
    present = () => signedIn(by);
    hub = liveHub({
      liveStates: async (keys) => new Map(keys.map((key) => [key, '1'])),
      ...{ clock: { now: () => new Date() }, logger: silentLogger, pace: { everyMs: 5, beatMs: 5 } },
    });
    const accounts = {
      async sessionOf(token: string, by?: string) {
        asked.push(by);
        return token === TOKEN ? present() : null;
      },
    };
    const stage = consoleStage({
      hub,
      accounts: accounts as never,
      clock: { now: () => new Date() } as never,
    });
    const answer = await stage.ask('GET', `/console/live${query}`, by);
    expect(answer.headers.get('content-type')).toStartWith('text/event-stream');
    const reader = answer.body?.getReader();
    if (reader === undefined) throw new Error('no body');
    return reader;
  }
  async function ends(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<boolean> {
    const until = Date.now() + 300;
    while (Date.now() < until) {
      const read = await Promise.race([reader.read(), Bun.sleep(300).then(() => null)]);
      if (read?.done === true) return true;
    }
    return false;
  }
  const ofMerchant = `?merchant=${OWN}&environment=live`;

  test('stays while the session does, and is no request of its user', async () => {
    const reader = await opened(OWNER, ofMerchant);
    asked.length = 0;
    expect(await ends(reader)).toBe(false);
    expect(new Set(asked)).toEqual(new Set(['stream']));
  });

  test('stays while the database is away', async () => {
    const reader = await opened(OWNER, ofMerchant);
    present = () => {
      throw new StorageUnavailable('away');
    };
    expect(await ends(reader)).toBe(false);
  });

  test.each([
    ['the session', OWNER, null],
    ['the role at the merchant', OWNER, {}],
    ['the stage', OWNER, { ...OWNER, stage: 'password' }],
  ] as const)('ends with %s', async (_, by, after) => {
    const reader = await opened(by, ofMerchant);
    present = () => (after === null ? null : signedIn(after));
    expect(await ends(reader)).toBe(true);
  });

  test('of an operator ends with the role of an operator', async () => {
    const reader = await opened({ operatorRole: 'viewer' }, '');
    present = () => signedIn(OWNER);
    expect(await ends(reader)).toBe(true);
  });

  test('of another merchant never begins', async () => {
    await expect(opened(OWNER, `?merchant=${OTHER}&environment=live`)).rejects.toThrow();
  });
});
