/** When the nodes of a pool show which chain they are of. */
import { expect, test } from 'bun:test';
import { nodeEndpoints } from '../../../../../src/adapters/chains/shared/nodes/node-endpoint.ts';
import { nodePool } from '../../../../../src/adapters/chains/shared/nodes/node-pool.ts';
import { silentLogger } from '../../../../support/runtime/silent-logger.ts';

function stage() {
  const checked: string[] = [];
  const check = { during: async (): Promise<void> => undefined };
  const pool = nodePool({
    ...{ chain: 'tron', identity: 'tron main', boundTo: undefined, logger: silentLogger },
    nodes: nodeEndpoints(['https://one.example', 'https://two.example'], {}).map(({ label, budget }) => ({
      node: { label },
      budget,
    })),
    async serves({ label }) {
      checked.push(label);
      await check.during();
      return true;
    },
    genesis: async () => null,
  });
  const labels = () => pool.every(async ({ label }) => label);
  return { pool, checked, labels, check };
}

test('nodes show their chain at first use, and once again when they are in doubt', async () => {
  const { pool, checked, labels } = stage();
  const all = await labels();
  await labels();
  expect(checked.splice(0)).toEqual([...all]);
  pool.doubt();
  await labels();
  expect(checked).toEqual([...all]);
});

test('a doubt of one node is none of the others', async () => {
  const { pool, checked, labels } = stage();
  const [first] = await labels();
  checked.splice(0);
  await pool.use(async (node) => pool.doubt(node));
  await labels();
  expect(checked).toEqual([first!]);
});

test('A3: a node that is in doubt while it shows its chain shows it again', async () => {
  const { pool, checked, labels, check } = stage();
  check.during = async () => pool.doubt();
  const all = await labels();
  check.during = async () => undefined;
  checked.splice(0);
  await labels();
  await labels();
  expect(checked).toEqual([...all]);
});
