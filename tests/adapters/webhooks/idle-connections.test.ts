/** Which waiting connection is given out, and when one is closed instead. */
import { expect, test } from 'bun:test';
import type { Connection } from '../../../src/adapters/webhooks/connection.ts';
import { idleConnections } from '../../../src/adapters/webhooks/idle-connections.ts';

const LIMITS = { perDestination: 3, inAll: 5, ageMs: 10_000 };

function connection(address = '192.0.2.1', openedAt = 0): Connection {
  let open = true;
  return {
    address,
    openedAt,
    isOpen: () => open,
    hasSpoken: () => false,
    begin: () => undefined,
    end: () => true,
    close() {
      open = false;
    },
  };
}

function pool() {
  const time = { ms: 0 };
  return { time, ...idleConnections(LIMITS, () => time.ms) };
}

test('W1: the connection that was used last is given out, once', () => {
  const { put, take } = pool();
  const [first, second] = [connection(), connection()];
  put('a', first, 1_000);
  put('a', second, 1_000);
  expect(take('b', ['192.0.2.1'])).toBeNull();
  expect(take('a', ['192.0.2.1'])).toBe(second);
  expect(take('a', ['192.0.2.1'])).toBe(first);
  expect(take('a', ['192.0.2.1'])).toBeNull();
});

test('W1: one whose address is not among those that were checked waits for an attempt that may use it', () => {
  const { put, take } = pool();
  const [here, there] = [connection('192.0.2.1'), connection('192.0.2.2')];
  put('a', here, 1_000);
  put('a', there, 1_000);
  expect(take('a', ['192.0.2.1', '192.0.2.3'])).toBe(here);
  expect(take('a', ['192.0.2.1'])).toBeNull();
  expect(take('a', ['192.0.2.2'])).toBe(there);
});

test('W1: no more are kept than there is room for, for one receiver and for all', () => {
  const { put } = pool();
  const made = ['a', 'a', 'a', 'a', 'b', 'b', 'b'].map((destination) => ({ destination, one: connection() }));
  for (const { destination, one } of made) put(destination, one, 1_000);
  expect(made.map(({ one }) => one.isOpen())).toEqual([true, true, true, false, true, true, false]);
});

test('W1: one that waited for too long, closed itself or is too old is not given out', () => {
  const { put, take, time } = pool();
  const [late, gone, old] = [connection(), connection(), connection('192.0.2.1', -10_000)];
  put('a', late, 1_000);
  time.ms = 1_000;
  expect(take('a', ['192.0.2.1'])).toBeNull();
  expect(late.isOpen()).toBe(false);
  put('a', gone, 1_000);
  gone.close();
  put('a', old, 1_000);
  expect(take('a', ['192.0.2.1'])).toBeNull();
  expect(old.isOpen()).toBe(false);
});

test('W1: after the end none is kept', () => {
  const { put, take, close } = pool();
  const [before, after] = [connection(), connection()];
  put('a', before, 1_000);
  close();
  put('a', after, 1_000);
  expect([before.isOpen(), after.isOpen(), take('a', ['192.0.2.1'])]).toEqual([false, false, null]);
});
