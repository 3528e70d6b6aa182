/**
 * What a chain's listed tokens are held against: several nodes, whose refusals are never
 * remembered.
 */
import { expect, test } from 'bun:test';
import { NodeLagging } from '../../../../src/adapters/chains/shared/nodes/node-errors.ts';
import { heldAgainstChain, type TokenVerdict } from '../../../../src/adapters/chains/shared/token-book.ts';
import { recordingLogger } from '../../../support/evm/evm-lab.ts';

interface Node {
  readonly label: string;
  says: 'fits' | 'does not fit';
  asked: number;
}

function opened(...said: Node['says'][]) {
  const nodes = said.map((says, position): Node => ({ label: `node ${position + 1}`, says, asked: 0 }));
  const logger = recordingLogger();
  const book = heldAgainstChain<Node, { asset: string; key: string }, string>({
    chain: 'ethereum',
    tokens: [{ asset: 'usdt_ethereum', key: '0x1' }],
    pool: { size: nodes.length, every: (work) => Promise.all(nodes.map(work)) },
    logger,
    check: async (node, tokens) => {
      node.asked += 1;
      return tokens.map(
        ({ asset }): TokenVerdict<string> => (node.says === 'fits' ? { fits: asset } : { fault: 'no token' }),
      );
    },
  });
  return { book, nodes: nodes as [Node, ...Node[]], logger };
}

test('a contract that fits is asked about once', async () => {
  const { book, nodes } = opened('fits', 'does not fit');
  for (let times = 0; times < 3; times += 1) expect((await book.usable(nodes[0])).size).toBe(1);
  expect(nodes.map(({ asked }) => asked)).toEqual([1, 0]);
  expect(book.faults()).toEqual([]);
});

test('a contract that no node finds fit is left out, named once in the log, and asked about again', async () => {
  const { book, nodes, logger } = opened('does not fit', 'does not fit');
  for (let times = 0; times < 3; times += 1) expect((await book.usable(nodes[0])).size).toBe(0);
  expect(book.faults()).toEqual([{ asset: 'usdt_ethereum', reason: 'no token' }]);
  expect(logger.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  for (const node of nodes) node.says = 'fits';
  expect((await book.usable(nodes[0])).get('0x1')).toBe('usdt_ethereum');
  expect(book.faults()).toEqual([]);
  expect(logger.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
});

test('a node that another contradicts is not read from', async () => {
  const { book, nodes } = opened('does not fit', 'fits');
  await expect(book.usable(nodes[0])).rejects.toThrow(NodeLagging);
  expect(book.faults()).toEqual([]);
});

test('what one part of the book found fit no other part asks about, and a part tells of its own tokens only', async () => {
  const { book, nodes, logger } = opened('fits');
  const [reading, none] = [book.among([{ asset: 'usdt_ethereum' }]), book.among([])];
  nodes[0].says = 'does not fit';
  await reading.usable(nodes[0]);
  expect([book.faults(), none.faults()]).toEqual([[{ asset: 'usdt_ethereum', reason: 'no token' }], []]);
  nodes[0].says = 'fits';
  for (const part of [book, reading, book]) expect((await part.usable(nodes[0])).size).toBe(1);
  expect((await none.usable(nodes[0])).size).toBe(0);
  expect(nodes[0].asked).toBe(2);
  expect([book.faults(), reading.faults()]).toEqual([[], []]);
  expect(logger.lines.map(({ event }) => event)).toEqual(['asset.contract_unfit', 'asset.contract_fits']);
});
