/** The treasury for operators: tables and JSON of what the chains and our records say. */
import type { TreasuryChain } from '../../src/app/sweeps/sweep-needs.ts';
import { signingSwitch, type TreasuryStatus, treasuryStatus } from '../../src/app/treasury/treasury.ts';
import type { AssetCatalog } from '../../src/domain/catalog/asset.ts';
import { formatUnits } from '../../src/domain/money/decimal.ts';
import { ChainUnavailable } from '../../src/ports/chains/chain-scanner.ts';
import type { CommandContext } from './program.ts';
import { shownTime, table } from './table.ts';

export interface TreasuryView {
  readonly chains: readonly { chain: string; status: TreasuryStatus | null; unavailable: string | null }[];
  readonly stopped: { readonly at: Date; readonly note: string } | null;
}

/** A chain without a working node does not hide the others. */
export async function lookAt(
  { service }: CommandContext,
  chains: readonly TreasuryChain[],
): Promise<TreasuryView> {
  const { dependencies } = service;
  const seen = [];
  for (const on of chains) {
    const { chain } = on;
    try {
      seen.push({ chain, status: await treasuryStatus(dependencies, on), unavailable: null });
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
      seen.push({ chain, status: null, unavailable: error.message });
    }
  }
  return { chains: seen, stopped: await signingSwitch(dependencies)() };
}

export function statusJson({ chains, stopped }: TreasuryView, catalog: AssetCatalog) {
  return {
    signing_stopped: stopped && { at: unix(stopped.at), note: stopped.note },
    chains: chains.map(({ chain, status, unavailable }) =>
      status === null
        ? { chain, unavailable }
        : {
            chain,
            hot_wallet: status.hotWallet,
            height: status.height,
            assets: assetRows(status, catalog),
            sweeps: status.sweeps.map((sweep) => ({
              sweep_id: sweep.id,
              status: sweep.status,
              address: sweep.address,
              asset: sweep.asset,
              on_demand: sweep.forced,
              reason: sweep.reason?.text ?? null,
              reason_code: sweep.reason?.code ?? null,
              created_at: unix(sweep.createdAt),
            })),
            forwards: forwardRows(status, catalog),
            forward_requests: status.forwardRequests.map(({ asset, at }) => ({ asset, at: unix(at) })),
            frozen: status.frozen.map(({ address, reason, at }) => ({ address, reason, at: unix(at) })),
          },
    ),
  };
}

export function statusText({ chains, stopped }: TreasuryView, catalog: AssetCatalog): string {
  const signing =
    stopped === null ? 'signing: on' : `signing: STOPPED since ${shownTime(stopped.at)} (${stopped.note})`;
  return [signing, ...chains.map((seen) => chainText(seen, catalog))].join('\n\n');
}

function chainText(
  { chain, status, unavailable }: TreasuryView['chains'][number],
  catalog: AssetCatalog,
): string {
  if (status === null) return `${chain}: no node answers: ${unavailable}`;
  const assets = table(
    [
      { title: 'ASSET', cell: (row) => row.asset },
      { title: 'HOT WALLET', align: 'right', cell: (row) => row.hot_wallet },
      { title: 'TO SWEEP', align: 'right', cell: (row) => row.to_sweep },
      { title: 'TOO SMALL', align: 'right', cell: (row) => row.too_small },
      { title: 'UNDECIDED', align: 'right', cell: (row) => row.undecided },
      { title: 'LEAVING', align: 'right', cell: (row) => row.leaving },
      { title: 'ARRIVING', align: 'right', cell: (row) => row.arriving },
      { title: 'WAITING', align: 'right', cell: (row) => String(row.payouts_waiting) },
      { title: 'LACKS', align: 'right', cell: (row) => row.lacking },
    ],
    assetRows(status, catalog),
    { empty: 'no asset is switched on' },
  );
  const sweeps = table(
    [
      { title: 'SWEEP', cell: (sweep) => sweep.id },
      { title: 'STATUS', cell: (sweep) => sweep.status },
      { title: 'SINCE', cell: (sweep) => shownTime(sweep.createdAt) },
      { title: 'ADDRESS', cell: (sweep) => sweep.address },
      { title: 'ASSET', cell: (sweep) => sweep.asset },
      { title: 'REASON', cell: (sweep) => sweep.reason?.text ?? '' },
    ],
    status.sweeps,
    { empty: 'no sweeps' },
  );
  const forwards = table(
    [
      { title: 'FORWARD', cell: (row) => row.transfer_id },
      { title: 'STATUS', cell: (row) => row.status },
      { title: 'SINCE', cell: (row) => shownTime(new Date(row.created_at * 1000)) },
      { title: 'AMOUNT', align: 'right', cell: (row) => row.amount },
      { title: 'ASSET', cell: (row) => row.asset },
      { title: 'TO', cell: (row) => row.to },
      { title: 'REASON', cell: (row) => row.reason ?? '' },
    ],
    forwardRows(status, catalog),
    { empty: 'no forwards' },
  );
  const requests = status.forwardRequests.map(
    ({ asset, at }) => `FORWARD of ${asset} requested at ${shownTime(at)}: a running worker carries it out`,
  );
  const frozen = status.frozen.map(
    ({ address, reason, at }) => `FROZEN since ${shownTime(at)}: ${address} (${reason})`,
  );
  const head = `${chain}, hot wallet ${status.hotWallet}, block ${status.height}`;
  return [head, assets, sweeps, forwards, ...requests, ...frozen].join('\n');
}

function forwardRows({ forwards }: TreasuryStatus, catalog: AssetCatalog) {
  return forwards.map(({ id, status, asset, units, to, txid, failure, createdAt }) => ({
    transfer_id: id,
    status,
    asset,
    amount: formatUnits(units, catalog.require(asset).decimals),
    to,
    txid,
    reason: failure?.text ?? null,
    reason_code: failure?.code ?? null,
    created_at: unix(createdAt),
  }));
}

function assetRows(status: TreasuryStatus, catalog: AssetCatalog) {
  return status.assets.map((row) => {
    const shown = (units: bigint) => formatUnits(units, catalog.require(row.asset).decimals);
    return {
      asset: row.asset,
      hot_wallet: shown(row.hotWalletUnits),
      to_sweep: shown(row.atDepositAddresses.sweepableUnits),
      too_small: shown(row.belowCost.units),
      too_small_count: row.belowCost.count,
      undecided: shown(row.atDepositAddresses.undecidedUnits),
      leaving: shown(row.leavingUnits),
      arriving: shown(row.arrivingUnits),
      payouts_waiting: row.waiting.count,
      waiting: shown(row.waiting.units),
      lacking: shown(row.lackingUnits),
    };
  });
}

interface TopupRow {
  readonly chain: string;
  readonly asset: string;
  readonly to: string;
  readonly has: string;
  readonly lacks: string;
}

function topupRows({ chains }: TreasuryView, catalog: AssetCatalog): readonly TopupRow[] {
  return chains.flatMap(({ chain, status }) =>
    status === null
      ? []
      : assetRows(status, catalog).map((row) => ({
          chain,
          asset: row.asset,
          to: status.hotWallet,
          has: row.hot_wallet,
          lacks: row.lacking,
        })),
  );
}

const unreachable = ({ chains }: TreasuryView) =>
  chains.flatMap(({ chain, unavailable }) => (unavailable === null ? [] : [{ chain, unavailable }]));

export function topupJson(seen: TreasuryView, catalog: AssetCatalog) {
  return { send: topupRows(seen, catalog), unavailable: unreachable(seen) };
}

export function topupText(seen: TreasuryView, catalog: AssetCatalog): string {
  const rows = table(
    [
      { title: 'CHAIN', cell: (row) => row.chain },
      { title: 'SEND', cell: (row) => row.asset },
      { title: 'TO', cell: (row) => row.to },
      { title: 'HAS', align: 'right', cell: (row) => row.has },
      { title: 'LACKS', align: 'right', cell: (row) => row.lacks },
    ],
    topupRows(seen, catalog),
    { empty: 'no chain has a node that answers' },
  );
  const missing = unreachable(seen).map(
    ({ chain, unavailable }) => `${chain}: no node answers: ${unavailable}`,
  );
  return [
    'Where to send money to from outside (this command sends nothing):',
    rows,
    "LACKS is what waiting payouts need. Fees are paid in the chain's native coin, for payouts and for the gas that sweeps of tokens need.",
    'Once it is final: bun run treasury book',
    'Gas for one deposit address, and then its money: bun run treasury sweep --chain CHAIN --address ADDRESS',
    ...missing,
  ].join('\n');
}

function unix(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}
