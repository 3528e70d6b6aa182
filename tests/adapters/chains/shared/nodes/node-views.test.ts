/** What several nodes say became of a nonce, in one answer. */
import { expect, test } from 'bun:test';
import { nodeBudget } from '../../../../../src/adapters/chains/shared/nodes/node-budget.ts';
import { NodeError, NodeLimited } from '../../../../../src/adapters/chains/shared/nodes/node-errors.ts';
import { nodePool } from '../../../../../src/adapters/chains/shared/nodes/node-pool.ts';
import {
  combineNodeViews,
  type MinedOutcome,
  type NodeView,
} from '../../../../../src/adapters/chains/shared/nodes/node-views.ts';
import { silentLogger } from '../../../../support/runtime/silent-logger.ts';

const seenBy = (...views: readonly NodeView[]) => {
  const every = <T>(work: (view: NodeView) => Promise<T>): Promise<T[]> => Promise.all(views.map(work));
  const of = { what: 'sequence 1', lastTxid: 'a' };
  return combineNodeViews({ pool: { every }, chain: 'ton' }, of, async (view) => view);
};
const minedAs = (changes: Partial<MinedOutcome> = {}): NodeView => ({
  ...{ kind: 'mined', tipHeight: 9 },
  mined: {
    ...{ kind: 'mined', txid: 'a', block: { height: 7, hash: 'b' }, feeUnits: 1n, effects: [true, false] },
    ...{ final: true, ...changes },
  },
});

test('nodes that differ in which payments were made, or why one was not, tell nothing final', async () => {
  const short = minedAs({ unfunded: [false, true] });
  expect(await seenBy(short, short)).toMatchObject({ final: true, unfunded: [false, true] });
  expect(await seenBy(minedAs(), minedAs({ unfunded: [false, false] }))).toMatchObject({ final: true });
  for (const other of [minedAs(), minedAs({ unfunded: [true, true] }), minedAs({ effects: [true, true] })])
    expect(await seenBy(short, other)).toMatchObject({ kind: 'mined', final: false });
});

/** A node whose every call fails with `fault` while there is one, and what it sees else. */
interface VotingNode {
  readonly label: string;
  readonly view: NodeView;
  fault?: Error | undefined;
  readonly isOfOtherChain?: boolean;
}

function votersOf(nodes: readonly VotingNode[]) {
  async function answered<T>({ fault }: VotingNode, answer: T): Promise<T> {
    if (fault !== undefined) throw fault;
    return answer;
  }
  const pool = nodePool<VotingNode>({
    nodes: nodes.map((node) => ({
      node,
      budget: nodeBudget({ label: node.label, perSecond: null, perDay: null }),
    })),
    ...{ chain: 'tron', identity: 'tron main', boundTo: undefined, logger: silentLogger },
    serves: (node) => answered(node, node.isOfOtherChain !== true),
    genesis: async () => null,
  });
  const of = { what: 'nonce 1', lastTxid: 'a' };
  return () => combineNodeViews({ pool, chain: 'tron' }, of, (node) => answered(node, node.view));
}

test.each(['expired', 'superseded'] as const)(
  'a node that failed once and has no room to show its chain again keeps another from deciding %p',
  async (kind) => {
    const deadView: NodeView = kind === 'expired' ? { kind } : { kind: 'used', final: true };
    const honest: VotingNode = { label: 'honest', view: minedAs() };
    const decide = votersOf([honest, { label: 'liar', view: deadView }]);
    expect(await decide()).toMatchObject({ kind: 'mined', final: false });
    honest.fault = new NodeError('honest: the connection ended');
    await decide();
    honest.fault = new NodeLimited('honest: its limit leaves no room at present');
    expect((await decide()).kind).not.toBe(kind);
    expect((await decide()).kind).not.toBe(kind);
    honest.fault = undefined;
    expect(await decide()).toMatchObject({ kind: 'mined', final: false });
  },
);

test('a node of another chain and one that is down decide nothing, and keep nobody from deciding', async () => {
  const others: readonly VotingNode[] = [
    { label: 'stranger', view: minedAs(), isOfOtherChain: true },
    { label: 'down', view: minedAs(), fault: new NodeError('down: nobody listens') },
  ];
  const decide = votersOf([{ label: 'honest', view: { kind: 'expired' } }, ...others]);
  expect(await decide()).toEqual({ kind: 'expired' });
  expect(await decide()).toEqual({ kind: 'expired' });
});

test('nodes that have no room at all leave it open what became of a nonce', async () => {
  const limited = new NodeLimited('its limit leaves no room at present');
  const decide = votersOf(['a', 'b'].map((label) => ({ label, view: { kind: 'expired' }, fault: limited })));
  await expect(decide()).rejects.toThrow('tron: no node could tell what became of nonce 1');
});
