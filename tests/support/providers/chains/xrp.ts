/**
 * The XRP Ledger closing its ledgers by the clock: the laboratory's network, which pays the tags of
 * our account now and then.
 */
import { xAddress } from '../../../../src/adapters/chains/xrp/codec/address.ts';
import { ledgerPool } from '../../../../src/adapters/chains/xrp/ledger-pool.ts';
import { xrpNetwork } from '../../../../src/adapters/chains/xrp/network.ts';
import { xrpScanner } from '../../../../src/adapters/chains/xrp/read/scanner.ts';
import { openXrpLab } from '../../xrp/lab.ts';
import type { MakeChain } from '../followed.ts';

export const XRP_BLOCK_MS = 4_000;
const DROPS = 1_000n;
const network = xrpNetwork('main');

/** In each `payEvery` ledgers one of the watched tags is paid; 0: never. */
export const xrpChain =
  ({ watched, payEvery }: { watched: number; payEvery: number }): MakeChain =>
  ({ nowMs, unixMs, blocksBefore }) => {
    const beganAt = unixMs() - nowMs() - blocksBefore * XRP_BLOCK_MS;
    let closing = beganAt;
    const lab = openXrpLab({ now: () => closing });
    const account = lab.account('ours');
    lab.account('payer', 10n ** 15n);
    const begins = lab.last().index;
    const addresses = Array.from({ length: watched }, (_, tag) => xAddress(network, { account, tag }));
    const keys = new Map<number, string>();
    const tip = (): number => begins + Math.floor((unixMs() - beganAt) / XRP_BLOCK_MS);

    function close(): void {
      while (lab.last().index < tip()) {
        const next = lab.last().index + 1;
        closing = beganAt + (next - begins) * XRP_BLOCK_MS;
        if (payEvery > 0 && next % payEvery === 0)
          keys.set(next, `${lab.pay(addresses[(next / payEvery) % watched]!, DROPS)} native`);
        lab.network.close();
      }
    }

    return {
      ...{ chain: 'xrp', blockMs: XRP_BLOCK_MS, tip, addresses },
      async answer(url, init) {
        close();
        return lab.nodes[0]!.answer(url, init);
      },
      open({ rpc, fetch, time, logger }) {
        const options = {
          ...{ chain: 'xrp', network, rpc, fetch, time, logger },
          ...{ account, asset: 'xrp_xrp', confirmations: 1 },
        };
        const pool = ledgerPool(options);
        return { scanner: xrpScanner(options, pool), nodes: pool };
      },
      paid: (from, to) => [...keys].flatMap(([height, key]) => (height >= from && height <= to ? [key] : [])),
      close: () => lab.close(),
    };
  };
