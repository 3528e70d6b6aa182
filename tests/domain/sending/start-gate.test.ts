import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  type GateEvent,
  type GatePhase,
  gateAfter,
  SETTLE_MS,
} from '../../../src/domain/sending/start-gate.ts';

const time = fc.integer({ min: 0, max: 100_000 });
/** All but a start. */
const FOUND: fc.Arbitrary<GateEvent> = fc.oneof(
  fc.record({ type: fc.constant('read_to_tip' as const), untilMs: time, mustCheckUtxos: fc.boolean() }),
  fc.record({ type: fc.constant('covered' as const), untilMs: time }),
  fc.constant({ type: 'nonces_checked' as const }),
  fc.record({ type: fc.constant('utxos_checked' as const), spent: fc.boolean() }),
  fc.record({ type: fc.constant('payments_checked' as const), askedMs: time }),
  fc.record({ type: fc.constant('read_again' as const), begunMs: time }),
);

const after = (events: readonly GateEvent[], from: GatePhase = { kind: 'unread' }): GatePhase =>
  events.reduce(gateAfter, from);
const READ: GateEvent = { type: 'read_to_tip', untilMs: 1_000, mustCheckUtxos: true };
const DUE = after([READ, { type: 'covered', untilMs: 1_000 }]);

const EXPLAINED = after([{ type: 'nonces_checked' }], DUE);

describe('the gate after a start', () => {
  test('is open at once where nothing waits to be sent, and closed again when the database is put back', () => {
    const open = after([{ type: 'started', waiting: 0 }]);
    expect(open).toEqual({ kind: 'open' });
    expect(after([{ type: 'started', waiting: 1 }], open)).toEqual({ kind: 'unread' });
  });

  test('K4: never opens before the chain was read to its tip, its time has passed, and nodes were asked', () => {
    fc.assert(
      fc.property(fc.array(FOUND, { maxLength: 12 }), (history) => {
        if (after(history).kind !== 'open') return;
        const place = (type: GateEvent['type']) => history.findIndex((event) => event.type === type);
        const read = history[place('read_to_tip')];
        if (read?.type !== 'read_to_tip') throw new Error('it opened unread');
        const passed = history.findIndex(
          (event, at) =>
            event.type === 'covered' && event.untilMs >= read.untilMs && at > place('read_to_tip'),
        );
        expect(passed).toBeGreaterThan(0);
        const asked = history.slice(passed).map(({ type }) => type);
        const explained = asked.indexOf('nonces_checked');
        expect(explained).toBeGreaterThan(0);
        if (read.mustCheckUtxos) expect(asked.slice(explained)).toContain('utxos_checked');
      }),
    );
  });

  test('opens with the nonces checked where no UTXO can be spent by what waits', () => {
    const due = after([
      { ...READ, mustCheckUtxos: false },
      { type: 'covered', untilMs: 1_000 },
    ]);
    expect(after([{ type: 'nonces_checked' }], due)).toEqual({ kind: 'open' });
    expect(EXPLAINED).toEqual({ kind: 'explained' });
  });

  test('waits until the time of the chain has passed, to the millisecond', () => {
    expect(after([READ, { type: 'covered', untilMs: 999 }]).kind).toBe('waiting');
    expect(DUE.kind).toBe('due');
  });

  test('opens when a UTXO of ours is spent, since all payouts of before are held then', () => {
    expect(after([{ type: 'utxos_checked', spent: true }], EXPLAINED)).toEqual({ kind: 'open' });
  });

  test('R10: keeps that no UTXO is spent, and settles until a reading that began some seconds later', () => {
    const unspent = after([{ type: 'utxos_checked', spent: false }], EXPLAINED);
    expect(unspent).toEqual({ kind: 'unspent' });
    const settling = after([{ type: 'payments_checked', askedMs: 7_000 }], unspent);
    const read = (begunMs: number) => after([{ type: 'read_again', begunMs }], settling);
    expect(read(7_000 + SETTLE_MS - 1)).toEqual(settling);
    expect(read(7_000 + SETTLE_MS)).toEqual({ kind: 'open' });
  });

  test('once open it stays open, whatever is found later but a start', () => {
    fc.assert(
      fc.property(fc.array(FOUND), (found) => {
        expect(after(found, { kind: 'open' })).toEqual({ kind: 'open' });
      }),
    );
  });
});
