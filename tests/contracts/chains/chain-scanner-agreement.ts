/**
 * The agreement of several nodes that a block needs before its deposits are credited (safety.md
 * A3): a part of the scanner's contract.
 */
import { expect, test } from 'bun:test';
import type { Transfer } from '../../../src/ports/chains/chain-scanner.ts';
import { watching } from '../../support/chains/watch-list.ts';
import type { ScannerCase } from './chain-scanner.ts';

const aClaim = (on: ScannerCase): Transfer => ({
  ...{ txid: on.unknownTxid, output: 'native', asset: on.assets[0]!, to: on.freshAddress() },
  ...{ from: null, units: 1n, kind: 'payment' },
});

export function agreementTests(chain: () => ScannerCase): void {
  test('the nodes agree on canonical blocks only', async () => {
    const on = chain();
    const { height, hash } = (await on.scanner.head()).tip;
    await on.mine(on.confirmations - 1);
    for (const nodes of [on.scanner, on.several]) {
      expect(await nodes.confirmWithNodes({ height, hash }, [])).toEqual({ kind: 'agreed', disputed: [] });
      expect(await nodes.confirmWithNodes({ height: height - 1, hash }, [])).toEqual({ kind: 'disputed' });
      expect(await nodes.confirmWithNodes({ height: height + 50, hash }, [])).toEqual({ kind: 'disputed' });
    }
    await on.reorg(on.confirmations);
    for (const nodes of [on.scanner, on.several])
      expect(await nodes.confirmWithNodes({ height, hash }, [])).toEqual({ kind: 'disputed' });
  });

  test('A3: several nodes agree on a block no sooner than each calls it final, nor on what is locked for longer', async () => {
    const on = chain();
    const block = (await on.scanner.head()).tip;
    const locked = { ...aClaim(on), lockedUntil: block.height + on.confirmations };
    for (let confirmations = 1; confirmations < on.confirmations; confirmations++) {
      expect(await on.several.confirmWithNodes(block, [])).toEqual({ kind: 'not_final' });
      await on.mine(1);
    }
    expect(await on.several.confirmWithNodes(block, [])).toEqual({ kind: 'agreed', disputed: [] });
    expect(await on.several.confirmWithNodes(block, [locked])).toEqual({ kind: 'not_final' });
  });

  test('A3: several nodes agree on the payments that they show in a block, and on no other', async () => {
    const on = chain();
    const paid = on.assets.map((asset) => ({ to: on.freshAddress(), asset, units: 123_000n }));
    for (const payment of paid) await on.pay(payment);
    await on.mine(3);
    const { height } = (await on.scanner.head()).tip;
    const watch = watching(paid.map(({ to }) => to));
    const blocks = await on.scanner.blocks({ from: height - 2, to: height }, watch);
    await on.mine(on.confirmations);
    const holding = blocks.filter(({ transfers }) => transfers.length > 0);
    expect(holding.flatMap(({ transfers }) => transfers).length).toBe(paid.length);
    for (const { transfers, ...block } of holding) {
      expect(await on.several.confirmWithNodes(block, transfers)).toEqual({ kind: 'agreed', disputed: [] });
      if (on.shows === 'nothing') continue;
      const [real] = transfers as [Transfer];
      const invented: Transfer[] = [{ ...real, txid: on.unknownTxid }];
      if (on.shows === 'all of it')
        invented.push(
          { ...real, units: real.units + 1n },
          { ...real, output: `${real.output}0` },
          { ...real, to: on.freshAddress() },
          { ...real, kind: 'unexplained' },
          { ...real, asset: 'another' },
        );
      const answer = await on.several.confirmWithNodes(block, [...transfers, ...invented]);
      expect(answer).toEqual({ kind: 'agreed', disputed: invented });
    }
  });
}
