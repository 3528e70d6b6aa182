/**
 * What a round of payouts remembers of a node: never that the node is of our chain, that it can try
 * a payment, or a fault of a moment.
 */
import { describe, expect, test } from 'bun:test';
import { rpcPool } from '../../../../src/adapters/chains/evm/rpc-pool.ts';
import { triedGas, voidingGas } from '../../../../src/adapters/chains/evm/send/gas.ts';
import { inHaste } from '../../../../src/adapters/chains/shared/nodes/urgency.ts';
import { ChainUnavailable } from '../../../../src/ports/chains/chain-scanner.ts';
import { anAddress } from '../../../support/builders.ts';
import { silentLogger } from '../../../support/runtime/silent-logger.ts';

interface Asked {
  readonly id: number;
  readonly method: string;
}

/** A node behind a name: `answer` gives the result of a method, or an error. Null: it is down. */
function openNode(answer: (method: string) => { result: unknown } | { error: unknown } | null) {
  const asked: string[] = [];
  const one = ({ id, method }: Asked) => {
    asked.push(method);
    const said = answer(method);
    if (said === null) throw new TypeError('connection refused');
    return { jsonrpc: '2.0', id, ...said };
  };
  const respond = async (_url: unknown, init: RequestInit | undefined): Promise<Response> => {
    const body: Asked | Asked[] = JSON.parse(String(init?.body));
    return Response.json(Array.isArray(body) ? body.map(one) : one(body));
  };
  const pool = rpcPool({
    ...{ chain: 'ethereum', chainId: 1, rpc: ['https://node.example/'], logger: silentLogger },
    fetch: respond as typeof fetch,
    boundTo: { isOurs: async (first) => first === FIRST_BLOCK.hash },
  });
  return { pool, asked };
}

const inRound = <T>(work: () => Promise<T>): Promise<T> =>
  inHaste({ urgency: 'payout', round: { batches: 100 } }, work);
const WALLET = anAddress();
const FIRST_BLOCK = { hash: `0x${'11'.repeat(32)}` };
const OTHER_BLOCK = { hash: `0x${'22'.repeat(32)}` };

/** Of ethereum, with its first block. */
const ofOurs = (method: string, otherwise: unknown) => {
  if (method === 'eth_getBlockByNumber') return { result: FIRST_BLOCK };
  return { result: method === 'eth_chainId' ? '0x1' : otherwise };
};

describe('a round of payouts', () => {
  for (const [place, another] of [
    ['id', (method: string) => (method === 'eth_chainId' ? { result: '0x5' } : ofOurs(method, 'another'))],
    [
      'first block',
      (method: string) =>
        method === 'eth_getBlockByNumber' ? { result: OTHER_BLOCK } : ofOurs(method, 'another'),
    ],
  ] as const)
    test(`A3: asks a node again for its chain's ${place} after a fault, and believes no answer of before`, async () => {
      let now: 'ours' | 'down' | 'another' = 'ours';
      const { pool } = openNode((method) => {
        if (now === 'down') return null;
        return now === 'ours' ? ofOurs(method, 'ours') : another(method);
      });
      const look = () => pool.use((node) => node.call('eth_getTransactionReceipt', '0x1'));
      await inRound(async () => {
        expect(await look()).toBe('ours');
        now = 'down';
        await expect(look()).rejects.toThrow(ChainUnavailable);
        now = 'another';
        await expect(look()).rejects.toThrow(ChainUnavailable);
      });
      await expect(inRound(look)).rejects.toThrow(ChainUnavailable);
    });

  test('G4: blames no payment for a node that went down since it tried an ordinary one', async () => {
    let isDown = false;
    const { pool } = openNode((method) => (isDown ? null : ofOurs(method, '0x5208')));
    const payment = { asset: { kind: 'native' }, recipient: anAddress(), units: 1n, nonce: 0n, chainId: 1n };
    const asked = { wallet: WALLET, most: 1_000_000n, perGas: 1n, nativeBalance: 10n ** 18n, extraGas: 0n };
    await inRound(async () => {
      await pool.use((node) => voidingGas(node, WALLET));
      const trial = pool.use((node) => {
        isDown = true;
        return triedGas({ trialMs: undefined }, node, { ...asked, payment: payment as never });
      });
      await expect(trial).rejects.toThrow(ChainUnavailable);
    });
  });

  for (const [fault, said] of [
    ['an error', { error: { code: -32_000, message: 'header not found' } }],
    ['nothing', { result: null }],
  ] as const)
    test(`asks again where the node answered ${fault}, and once where it answered`, async () => {
      let isBad = true;
      const { pool, asked } = openNode((method) => {
        if (method === 'eth_getBalance' && isBad) return said;
        return ofOurs(method, '0x1');
      });
      const balance = () => pool.use((node) => node.call('eth_getBalance', WALLET, 'latest'));
      await inRound(async () => {
        expect(await balance().catch(() => null)).toBeNull();
        isBad = false;
        const before = asked.length;
        expect(await balance()).toBe('0x1');
        expect(await balance()).toBe('0x1');
        expect(asked.slice(before)).toEqual(['eth_getBalance']);
      });
    });
});
