/**
 * The payout drill on TON: coins and jettons on a chain in memory with real wallet contracts. Now
 * and then its blocks take nothing for a while and time goes on, so that what waits expires and is
 * signed again.
 */
import { storedExternal } from '../../../src/adapters/chains/ton/codec/external.ts';
import { NATIVE, openTonLab, TON, type TonLab, USDT } from '../ton/ton-lab.ts';
import type { DrillChain } from './drill-chain.ts';

/**
 * Of so many blocks in a row these are empty, and with the last of them more time passes than a
 * request is valid. Workers that begin after that wait as long
 * (src/app/sending/restart/start-gate.ts), so it comes seldom.
 */
const CYCLE = 480;
const EMPTY = { from: 201, to: 204 };
const EXPIRED_SECONDS = 400;

export async function openTonDrill(): Promise<DrillChain & { readonly lab: TonLab }> {
  const lab = await openTonLab({ time: Math.floor(Date.now() / 1000) });
  const { chain, server } = lab;
  let blocks = 0;
  let recipients = 0;
  return {
    lab,
    name: 'ton',
    node: {
      url: server.url,
      broadcastMethod: 'sendBoc',
      txidOf: async (raw) => storedExternal(raw).txid,
      accepting: async (body) => {
        const { id } = JSON.parse(body) as { id: string };
        return { ok: true, result: { '@type': 'ok' }, jsonrpc: '2.0', id };
      },
    },
    assets: [NATIVE, USDT],
    invoice: { asset: USDT, usd: 100_000 },
    configuration: ({ rpc, confirmations }) => ({
      chains: { ton: { rpc: [rpc], confirmations, poll_ms: 50 } },
      assets: { [USDT]: { contract: lab.jetton.minter.toString() } },
      rates: { source: 'static', usd: { [USDT]: '1', [NATIVE]: '3' } },
    }),
    async endow({ invoice, hotWallet }) {
      lab.payJetton({ to: invoice.to, units: invoice.units });
      lab.payJetton({ to: hotWallet, units: 10n ** 12n, forwardUnits: 0n });
      lab.pay({ to: hotWallet, units: 10_000n * TON });
    },
    payouts: (count, random) =>
      Array.from({ length: count }, (_, index) => {
        const address = lab.strangersAddress(recipients++);
        return index % 3 === 0
          ? { address, asset: NATIVE, units: BigInt(1 + random.int(1_000)) * 1_000_000n }
          : { address, asset: USDT, units: BigInt(1 + random.int(5_000_000)) };
      }),
    async nextBlock() {
      blocks += 1;
      const place = blocks % CYCLE;
      if (place >= EMPTY.from && place <= EMPTY.to) chain.dropExternals();
      if (place === EMPTY.to) chain.wait(EXPIRED_SECONDS);
      await chain.mine(1);
    },
    aheadMs: () => chain.tip.time * 1000 - Date.now(),
    mine: (count) => chain.mine(count),
    received: async (owed) =>
      owed.map(({ address, asset }) => (asset === NATIVE ? lab.balanceOf(address) : lab.jettonsOf(address))),
    // what recipients have tells all
    differences: async () => [],
    stop: () => lab.close(),
  };
}
