/** Work that waits for a slot before it asks nodes. */
import { describe, expect, test } from 'bun:test';
import { slots } from '../../../src/app/shared/slots.ts';
import { ChainUnavailable } from '../../../src/ports/chains/chain-scanner.ts';

/** Work that has begun, each ended by the test. */
function stage(count: number) {
  const { run, restore } = slots(count);
  const begun: { readonly name: string; readonly end: PromiseWithResolvers<string> }[] = [];
  const ask = (name: string): Promise<string> =>
    run(() => {
      const end = Promise.withResolvers<string>();
      begun.push({ name, end });
      return end.promise;
    }).catch((error: Error) => `failed: ${error.message}`);
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  const endOf = async (name: string, error?: Error): Promise<void> => {
    const { end } = begun.find((each) => each.name === name)!;
    if (error === undefined) end.resolve(`${name} is done`);
    else end.reject(error);
    await settle();
  };
  return { ask, endOf, restore, names: () => begun.map(({ name }) => name) };
}

const away = new ChainUnavailable('away');

describe('slots', () => {
  test('are taken in the order of the calls, and by the next one as soon as one is free', async () => {
    const { ask, endOf, names } = stage(2);
    const ends = ['a', 'b', 'c', 'd'].map(ask);
    expect(names()).toEqual(['a', 'b']);
    await endOf('b');
    expect(names()).toEqual(['a', 'b', 'c']);
    await endOf('a', new Error('of this one alone'));
    expect(names()).toEqual(['a', 'b', 'c', 'd']);
    await endOf('c');
    await endOf('d');
    expect(await Promise.all(ends)).toEqual([
      'failed: of this one alone',
      'b is done',
      'c is done',
      'd is done',
    ]);
  });

  test('are lost to work that no node answers, until all that wait are told', async () => {
    const { ask, endOf, names, restore } = stage(2);
    const ends = ['a', 'b', 'c', 'd'].map(ask);
    await endOf('a', away);
    expect(names()).toEqual(['a', 'b']);
    await endOf('b');
    expect(names()).toEqual(['a', 'b', 'c']);
    await endOf('c', away);
    expect(await Promise.all(ends)).toEqual(['failed: away', 'b is done', 'failed: away', 'failed: away']);
    expect(await ask('e')).toBe('failed: away');
    restore();
    void ask('f');
    void ask('g');
    void ask('h');
    expect(names()).toEqual(['a', 'b', 'c', 'f', 'g']);
  });
});
