/**
 * Locks (safety.md U4, U6): a transfer's `lockedUntil` is the first block in which the node lets it
 * be spent, no other.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Transfer } from '../../../../../src/ports/chains/chain-scanner.ts';
import { watching } from '../../../../support/chains/watch-list.ts';
import { type MwebNode, startMwebNode } from '../../../../support/nodes/mweb.ts';
import type { RegtestNode } from '../../../../support/nodes/regtest.ts';
import { BITCOIN_CASH, LITECOIN, UTXO_CHAINS } from '../../../../support/utxo/utxo-nodes.ts';
import { scannerOn } from '../../../../support/utxo/utxo-sources.ts';

/** What the tip's block pays to `to`. */
async function paidAtTip(node: RegtestNode, to: string): Promise<readonly Transfer[]> {
  const scanner = scannerOn(node, { rpc: [node.url] });
  const height = await node.height();
  const [block] = await scanner.blocks({ from: height, to: height }, watching([to]));
  await scanner.close();
  return block!.transfers;
}

/**
 * The height of the block in which the node first takes a transaction that spends `transfer`,
 * mining on until then.
 */
async function firstSpentAt(node: RegtestNode, transfer: Transfer): Promise<number> {
  const script = Buffer.from(node.scriptOf(transfer.to)).toString('hex');
  const coin = {
    txid: transfer.txid,
    vout: Number(transfer.output.slice('vout:'.length)),
    units: transfer.units,
    script,
  };
  const { raw } = await node.sign([{ to: node.freshAddress(), units: transfer.units - 20_000n }], {
    spending: [coin],
  });
  for (;;) {
    const taken = await node.send(raw).then(
      () => true,
      () => false,
    );
    if (taken) return (await node.height()) + 1;
    await node.mine();
  }
}

for (const chain of UTXO_CHAINS)
  describe.skipIf(!chain.there())(`a coinbase of ${chain.family}`, () => {
    let node: RegtestNode;
    beforeAll(async () => {
      node = await chain.start();
    });
    afterAll(() => node.stop());

    test('U4: is locked for a hundred blocks', async () => {
      await node.mine();
      const [transfer] = await paidAtTip(node, node.ownAddress);
      expect(transfer).toMatchObject({ lockedUntil: (await node.height()) + 100 });
      await node.mine(97);
      expect(await firstSpentAt(node, transfer!)).toBe(transfer!.lockedUntil!);
    });

    test('other payments of its block are not', async () => {
      const to = node.freshAddress();
      await node.pay([{ to, units: 60_000n }]);
      await node.mine();
      const [transfer, ...others] = await paidAtTip(node, to);
      expect(others).toEqual([]);
      expect(transfer).not.toHaveProperty('lockedUntil');
      expect(transfer).not.toHaveProperty('encumbered');
    });
  });

describe.skipIf(!LITECOIN.there())('a peg-out of litecoin', () => {
  let node: MwebNode;
  beforeAll(async () => {
    node = await startMwebNode();
  });
  afterAll(() => node.stop());

  test('U6: is locked for six blocks, while the rest of its block is not', async () => {
    const other = node.freshAddress();
    await node.pegOut({ to: node.ownAddress, units: 100_000_000n });
    await node.pay([{ to: other, units: 70_000n }]);
    await node.mineTo(node.freshAddress());
    const height = await node.height();
    const [transfer] = await paidAtTip(node, node.ownAddress).then((all) =>
      all.filter(({ units }) => units === 100_000_000n),
    );
    expect(transfer).toMatchObject({ lockedUntil: height + 6 });
    expect(await paidAtTip(node, other)).toMatchObject([{ units: 70_000n }]);
    expect((await paidAtTip(node, other))[0]).not.toHaveProperty('lockedUntil');
    expect(await firstSpentAt(node, transfer!)).toBe(height + 6);
  });
});

describe.skipIf(!BITCOIN_CASH.there())('tokens on bitcoincash', () => {
  let node: RegtestNode;
  beforeAll(async () => {
    node = await BITCOIN_CASH.start();
  });
  afterAll(() => node.stop());

  test('U8: an output that carries them is marked, and only that one', async () => {
    const to = node.freshAddress();
    const prefix = [0xef, ...new Uint8Array(32).fill(3), 0x20];
    const { raw } = await node.sign([
      { to: Uint8Array.of(...prefix, ...node.scriptOf(to)), units: 1_000n },
      { to, units: 2_000n },
    ]);
    await node.mineOnly([raw]);
    expect(await paidAtTip(node, to)).toMatchObject([
      { to, units: 1_000n, output: 'vout:0', encumbered: true },
      { to, units: 2_000n, output: 'vout:1' },
    ]);
    expect((await paidAtTip(node, to))[1]).not.toHaveProperty('encumbered');
  });
});
