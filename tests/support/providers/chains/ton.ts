/**
 * TON making its blocks by the clock: the laboratory's chain with real transactions, behind
 * toncenter's API. The watched addresses are paid now and then, in the coin and in a jetton;
 * strangers are not there.
 */

import { connectTon } from '../../../../src/adapters/chains/ton/connection.ts';
import { tonScanner } from '../../../../src/adapters/chains/ton/read/scanner.ts';
import { BUILT_IN_ASSETS } from '../../../../src/domain/catalog/asset.ts';
import { NATIVE, openTonLab, TON, USDT } from '../../ton/ton-lab.ts';
import type { MakeChain } from '../followed.ts';

/** Since April 2026. */
export const TON_BLOCK_MS = 400;
const { decimals } = BUILT_IN_ASSETS.find(({ key }) => key === USDT)!;

/** In each `payEvery` blocks one of the watched addresses is paid; 0: never. */
export const tonChain =
  ({ watched, payEvery }: { watched: number; payEvery: number }): MakeChain =>
  async ({ nowMs, unixMs, blocksBefore }) => {
    const time = (unixMs() - nowMs() - blocksBefore * TON_BLOCK_MS) / 1_000;
    const lab = await openTonLab({ time, blockSeconds: TON_BLOCK_MS / 1_000 });
    const addresses = Array.from({ length: watched }, () => lab.freshAddress());
    const keys = new Map<number, string>();

    /** Up to the height of this moment. */
    async function mine(height: number): Promise<void> {
      for (let next = lab.chain.tip.seqno + 1; next <= height; next++) {
        const nth = payEvery > 0 && next % payEvery === 0 ? next / payEvery : null;
        if (nth === null) {
          await lab.mine();
          continue;
        }
        const to = addresses[nth % watched]!;
        const isCoin = nth % 2 === 0;
        if (isCoin) lab.pay({ to, units: TON });
        else lab.payJetton({ to, units: 1_000n });
        await lab.mine();
        const account = isCoin ? to : lab.jetton.walletOf(lab.addressOf(to)).toRawString();
        const { hash, lt } = lab.last(account);
        keys.set(next, `${hash.toString('hex')} lt:${lt}`);
      }
    }
    await mine(lab.chain.tip.seqno + blocksBefore);
    const begins = lab.chain.tip.seqno;
    /** One request after the other: none mines what another is mining. */
    let mined: Promise<void> = Promise.resolve();
    const tip = (): number => begins + Math.floor(nowMs() / TON_BLOCK_MS);

    return {
      ...{ chain: 'ton', blockMs: TON_BLOCK_MS, tip, addresses },
      async answer(url, init) {
        mined = mined.then(() => mine(tip()));
        await mined;
        return lab.server.answer(url, init);
      },
      open({ rpc, fetch, time, logger }) {
        const options = {
          ...{ chain: 'ton', network: lab.network, fetch, time, logger },
          rpc: rpc.map((node) => ({ ...node, url: `${node.url}/api/v2/jsonRPC` })),
          ...{ publicKey: lab.publicKey, nativeAsset: NATIVE, confirmations: 1 },
          jettons: [{ asset: USDT, contract: lab.jetton.minter.toString(), decimals }],
        };
        const connection = connectTon(options);
        return { scanner: tonScanner(options, connection), nodes: connection.pool };
      },
      paid: (from, to) => [...keys].flatMap(([height, key]) => (height >= from && height <= to ? [key] : [])),
      close: () => lab.close(),
    };
  };
