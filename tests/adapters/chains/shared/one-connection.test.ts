/**
 * Scanner and sender of a chain are one connection: what one of them learns of a node or a token
 * the other knows.
 */
import { afterEach, describe, expect, test } from 'bun:test';
import { CHAIN_FAMILIES } from '../../../../src/adapters/chains/families.ts';
import { systemClock } from '../../../../src/adapters/system/system-clock.ts';
import { AssetCatalog } from '../../../../src/domain/catalog/asset.ts';
import { chainNamed } from '../../../../src/domain/catalog/chain.ts';
import { CHAINS_ON_PLANS } from '../../../support/providers/chains/all.ts';
import { silentLogger } from '../../../support/runtime/silent-logger.ts';

/** How each family asks a node which chain it is of, and a contract what it is. */
const CHAINS = [
  {
    chain: 'ethereum',
    token: 'usdt_ethereum',
    wallet: `0x${'ab'.repeat(20)}`,
    whichChain: /"eth_chainId"/,
    whatToken: /"eth_call".*"0x313ce567"/,
  },
  {
    chain: 'tron',
    token: 'usdt_tron',
    wallet: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    whichChain: /getblock .*"id_or_num":"0"/,
    whatToken: /triggerconstantcontract .*"data":"313ce567"/,
  },
  {
    chain: 'solana',
    token: 'usdc_solana',
    wallet: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
    whichChain: /"getGenesisHash"/,
    whatToken: /"getMultipleAccounts".*"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"/,
  },
];

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/**
 * The clients of a chain whose nodes answer what reading it asks, refuse the rest, and note every
 * question.
 */
async function opened(name: string, nodes: number) {
  const on = CHAINS_ON_PLANS.find(({ chain }) => chain === name)!;
  const living = await on.make({ watched: 0, payEvery: 0, busy: false })({
    ...{ nowMs: () => 0, unixMs: () => 1_790_000_000_000, blocksBefore: 20 },
  });
  const asked: { readonly node: number; readonly question: string }[] = [];
  let isFirstAway = false;
  const serve = (node: number): string => {
    const server = Bun.serve({
      ...{ port: 0, hostname: '127.0.0.1' },
      async fetch(request) {
        const body = await request.text();
        asked.push({ node, question: `${new URL(request.url).pathname} ${body.replace(/"id":\d+,/, '')}` });
        if (isFirstAway && node === 1) return new Response('', { status: 503 });
        return living.answer(request.url, { body }).catch(() => new Response('', { status: 400 }));
      },
    });
    stops.push(() => server.stop(true));
    return `http://127.0.0.1:${server.port}`;
  };
  const chain = chainNamed(name);
  const { scanner, sender } = await CHAIN_FAMILIES[chain.family].clients({
    ...{ chain, catalog: new AssetCatalog(), clock: systemClock, logger: silentLogger },
    settings: {
      rpc: Array.from({ length: nodes }, (_, index) => ({ url: serve(index + 1), stream: null })),
      ...{ esplora: [], electrum: [], chainId: null, network: null, confirmations: null },
      ...{ startHeight: null, feeCeiling: null, ownWallet: null },
    },
    ...{ boundTo: { isOurs: async () => true }, publicKey: null, wallet: null },
  });
  stops.push(() => scanner.close());
  return {
    ...{ scanner, sender: sender!, asked },
    firstGoesAway: () => {
      isFirstAway = true;
    },
  };
}

describe.each(CHAINS)('$chain', ({ chain, token, wallet, whichChain, whatToken }) => {
  test('E9: the sender asks nothing of a node or a token that the scanner knows already', async () => {
    const { scanner, sender, asked } = await opened(chain, 1);
    await scanner.head();
    await scanner.unscannedAssets();
    const known = [whichChain, whatToken].map(
      (what) => asked.filter(({ question }) => what.test(question)).length,
    );
    expect(known.every((questions) => questions > 0)).toBe(true);
    asked.length = 0;
    // Of this chain nobody can tell balances: what a token is would be asked before.
    await sender.balances(wallet, [token]).catch(() => null);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter(({ question }) => whichChain.test(question) || whatToken.test(question))).toEqual([]);
  });

  test('a node that failed for the scanner is not tried first by the sender', async () => {
    const { scanner, sender, asked, firstGoesAway } = await opened(chain, 2);
    firstGoesAway();
    await scanner.head();
    expect(asked.map(({ node }) => node).slice(0, 2)).toEqual([1, 2]);
    asked.length = 0;
    await sender.balances(wallet, [token]).catch(() => null);
    expect(asked[0]!.node).toBe(2);
  });
});
