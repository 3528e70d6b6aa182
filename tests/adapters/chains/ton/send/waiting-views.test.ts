/** What a look of the sender may keep of the one before: nothing that lets money be sent again. */
import { describe, expect, test } from 'bun:test';
import type { NodeView } from '../../../../../src/adapters/chains/shared/nodes/node-views.ts';
import { inHaste } from '../../../../../src/adapters/chains/shared/nodes/urgency.ts';
import { waitingViews } from '../../../../../src/adapters/chains/ton/send/waiting-views.ts';
import type { TonNode } from '../../../../../src/adapters/chains/ton/toncenter.ts';

const mined = (final: boolean): NodeView => ({
  kind: 'mined',
  tipHeight: 7,
  mined: { kind: 'mined', txid: 'a', block: { height: 7, hash: 'h' }, feeUnits: 1n, effects: [true], final },
});
const FIRST = { name: 'request', tip: 'block 7' };

function stage() {
  const views = waitingViews();
  const node: TonNode = { label: 'node', call: async () => null };
  let looks = 0;
  const look = (view: NodeView, query = FIRST, at = node) =>
    inHaste({ round: { batches: 1 } }, () =>
      views.at(at, query, async () => {
        looks += 1;
        return view;
      }),
    );
  return { views, node, look, looks: () => looks };
}

describe('what a node showed at its newest block', () => {
  test('of a request that waits is asked once for that block', async () => {
    const { look, looks } = stage();
    expect(await look(mined(false))).toEqual(mined(false));
    expect(await look({ kind: 'unseen' })).toEqual(mined(false));
    expect(looks()).toBe(1);
    expect(await look({ kind: 'unseen' }, { ...FIRST, tip: 'block 8' })).toEqual({ kind: 'unseen' });
    expect(await look(mined(false), { ...FIRST, name: 'another' })).toEqual(mined(false));
    expect(looks()).toBe(3);
  });

  for (const [what, view] of Object.entries({
    expired: { kind: 'expired' },
    'used finally': { kind: 'used', final: true },
    used: { kind: 'used', final: false },
    'mined finally': mined(true),
  } satisfies Record<string, NodeView>))
    test(`"Paid once": is asked again where it is ${what}`, async () => {
      const { look, looks } = stage();
      await look(view);
      expect(await look({ kind: 'unseen' })).toEqual({ kind: 'unseen' });
      expect(looks()).toBe(2);
    });

  test('A3: is forgotten when the node shows again which chain it is of, and is no other node’s', async () => {
    const { views, node, look, looks } = stage();
    await look({ kind: 'unseen' });
    await look(mined(false), FIRST, { ...node });
    views.forget(node);
    expect(await look(mined(false))).toEqual(mined(false));
    expect(looks()).toBe(3);
  });

  test('is asked anew outside of looks of the sender', async () => {
    const { views, node, look } = stage();
    await look({ kind: 'unseen' });
    expect(await views.at(node, FIRST, async () => mined(false))).toEqual(mined(false));
  });
});
