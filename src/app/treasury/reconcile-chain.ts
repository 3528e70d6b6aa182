/**
 * Compares the records with a chain at one block, asset by asset: the hot wallet, and every address
 * that ever had a deposit; besides some unused addresses in turns, or on demand every issued one.
 * Mined transfers that are not settled yet are counted too, so that any difference is a fault and
 * not a matter of time.
 */
import { ChainUnavailable } from '../../ports/chains/chain-scanner.ts';
import type { UtxoSpending } from '../../ports/sending/utxo-spending.ts';
import { scannedAssetsOf } from '../catalog/assets-of-chain.ts';
import type { AppDependencies } from '../dependencies.ts';
import { hotWalletOf } from '../sending/sending-chain.ts';
import { inLanes } from '../shared/in-lanes.ts';
import type { TreasuryChain } from '../sweeps/sweep-needs.ts';
import { movedApart } from './moved-apart.ts';
import { readableAssets } from './readable-balances.ts';
import { missingUtxos, unspentAgain } from './reconcile-utxos.ts';

/** Addresses per page. */
const PAGE = 1_000;
/** Reported per chain: enough to see the pattern. */
const DIFFERENCES_MAX = 1_000;

export type ReconcileNeeds = Pick<
  AppDependencies,
  'unitOfWork' | 'catalog' | 'treasuryQueries' | 'unscannedAssets'
>;

export interface ChainDifference {
  /**
   * More on the chain than recorded (a stray), less (something left), or a ledger that is not the
   * sum of the records.
   */
  readonly kind: 'unrecorded_incoming' | 'unrecorded_outgoing' | 'ledger';
  /** Null for the ledger. On a UTXO chain, the address of the UTXO. */
  readonly address: string | null;
  readonly asset: string;
  readonly expectedUnits: bigint;
  readonly foundUnits: bigint;
}

export interface ChainReconciliation {
  readonly chain: string;
  /** As of this block; null if the chain could not be checked. */
  readonly height: number | null;
  /** Checked addresses; UTXOs on a UTXO chain. */
  readonly addresses: number;
  /** At most 1,000. */
  readonly differences: readonly ChainDifference[];
  /** Why it could not be checked; null if it was. */
  readonly unavailable: string | null;
  /** Tokens that could not be read at some or all addresses, and are not compared there. */
  readonly unreadable: readonly UnreadableAsset[];
}

export interface UnreadableAsset {
  readonly asset: string;
  readonly listed: boolean;
  readonly reason: string;
}

export interface ReconcileOptions {
  /** Null: the last block that is final and was read. */
  readonly height: number | null;
  /**
   * Includes addresses without deposits: this finds a missed first payment, and asks the nodes much
   * more.
   */
  readonly everyAddress?: boolean;
  /** Further addresses to check. */
  readonly besides?: readonly string[];
  /** Once it is aborted, no further page is asked for, and what is found is not all. */
  readonly stopping?: AbortSignal | undefined;
  /** Called with the number of checked addresses. */
  readonly progress?: (checked: number) => void;
}

export async function reconcileChain(
  deps: ReconcileNeeds,
  on: TreasuryChain,
  options: ReconcileOptions,
): Promise<ChainReconciliation> {
  try {
    return await check(deps, on, options);
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    const nothing = { height: null, addresses: 0, differences: [], unreadable: [] };
    return { chain: on.chain, ...nothing, unavailable: error.message };
  }
}

async function check(
  deps: ReconcileNeeds,
  on: TreasuryChain,
  { height: wanted, everyAddress = false, besides = [], stopping, progress }: ReconcileOptions,
): Promise<ChainReconciliation> {
  const { chain, sender } = on;
  const { nativeAsset } = sender;
  const height = await heightToCheck(deps, chain, wanted);
  const { assets, wrong } = await booksOf(deps, on);
  if (sender.utxos !== null)
    return checkUtxos(deps, on, sender.utxos, { height, wrong, ...(progress ? { progress } : {}) });
  const moved = await movedApart(deps, on, height);
  const { apart } = moved;
  const differences: ChainDifference[] = [];

  const { readable, read, unreadable } = readableAssets(nativeAsset, assets);

  type UnitsByAsset = ReadonlyMap<string, bigint>;

  const unitsAt = async (address: string): Promise<UnitsByAsset> =>
    (await read((asked) => sender.balances(address, asked, { height }))).units;

  function hold(address: string, recorded: UnitsByAsset, units: UnitsByAsset): void {
    for (const asset of readable()) {
      const expectedUnits = (recorded.get(asset) ?? 0n) + moved.units(address, asset);
      const foundUnits = units.get(asset) ?? 0n;
      const uncounted = asset === nativeAsset ? (sender.capabilities.uncountedUnits ?? 0n) : 0n;
      const more = foundUnits - expectedUnits;
      if ((more <= uncounted && -more <= uncounted) || differences.length >= DIFFERENCES_MAX) continue;
      const kind = more > 0n ? 'unrecorded_incoming' : 'unrecorded_outgoing';
      differences.push({ kind, address, asset, expectedUnits, foundUnits });
    }
  }

  const wallet = hotWalletOf(on);
  const pooled = sender.capabilities.pooled ?? false;
  const ofWallet = { chain, nativeAsset, height, wallet, apart, pooled };
  hold(wallet, await deps.treasuryQueries.unitsOfHotWallet(ofWallet), await unitsAt(wallet));
  const pageOf = (page: { after: string; limit: number }) =>
    everyAddress
      ? deps.treasuryQueries.issuedAddresses(on, page)
      : deps.treasuryQueries.depositAddresses(chain, page);
  let checked = 1;
  async function holdAll(addresses: readonly string[]): Promise<void> {
    const rows = await deps.treasuryQueries.unitsOfAddresses({
      chain,
      nativeAsset,
      height,
      addresses,
      apart,
    });
    const recorded = Map.groupBy(rows, ({ address }) => address);
    const together = await read(async (asked) => sender.balancesOf?.(addresses, asked, { height }));
    await inLanes(addresses, async (address) => {
      const ofAddress = (recorded.get(address) ?? []).map(({ asset, units }) => [asset, units] as const);
      hold(address, new Map(ofAddress), together?.units.get(address) ?? (await unitsAt(address)));
    });
    checked += addresses.length;
    progress?.(checked);
  }
  // Addresses that share the hot wallet have no balance of their own.
  for (let from = 0; !pooled && !stopping?.aborted && from < besides.length; from += PAGE)
    await holdAll(besides.slice(from, from + PAGE));
  for (let after = ''; !pooled && !stopping?.aborted; ) {
    const addresses = await pageOf({ after, limit: PAGE });
    await holdAll(addresses);
    const last = addresses.at(-1);
    if (last === undefined || addresses.length < PAGE) break;
    after = last;
  }
  differences.push(...wrong);
  const unread = [...unreadable].map(([asset, reason]) => {
    return { asset, listed: deps.catalog.isListed(asset), reason };
  });
  return { chain, height, addresses: checked, differences, unavailable: null, unreadable: unread };
}

/**
 * Each UTXO separately: one that the chain lacks was spent without the gateway. One that was booked
 * so is asked for, too. The scanner sees all incoming ones.
 */
async function checkUtxos(
  deps: ReconcileNeeds,
  on: TreasuryChain,
  utxos: UtxoSpending,
  run: {
    height: number;
    wrong: readonly ChainDifference[];
    progress?: (checked: number) => void;
  },
): Promise<ChainReconciliation> {
  const { chain, sender } = on;
  const { missing, checked } = await missingUtxos(
    deps,
    { chain, utxos },
    { most: DIFFERENCES_MAX, ...(run.progress ? { progress: run.progress } : {}) },
  );
  const gone = missing.map(({ address, units }): ChainDifference => {
    const found = { expectedUnits: units, foundUnits: 0n };
    return { kind: 'unrecorded_outgoing', address, asset: sender.nativeAsset, ...found };
  });
  const back = (await unspentAgain(deps, { chain, utxos })).map(({ address, units }): ChainDifference => {
    const found = { expectedUnits: 0n, foundUnits: units };
    return { kind: 'unrecorded_incoming', address, asset: sender.nativeAsset, ...found };
  });
  const differences = [...gone, ...back, ...run.wrong];
  return { chain, height: run.height, addresses: checked, differences, unavailable: null, unreadable: [] };
}

/**
 * The assets to compare: listed ones, and unlisted ones that arrived. And where the ledger's
 * treasury accounts are not the sum of the records.
 */
export async function booksOf(
  deps: ReconcileNeeds,
  { chain, sender }: TreasuryChain,
): Promise<{ assets: readonly string[]; wrong: readonly ChainDifference[] }> {
  const listed = scannedAssetsOf(deps, chain);
  const unlisted = deps.catalog.unlisted.flatMap((asset) =>
    asset.chain === chain && !deps.unscannedAssets.has(asset.key) ? [asset.key] : [],
  );
  const books = await deps.treasuryQueries.treasuryBooks(chain, [...listed, ...unlisted], sender.nativeAsset);
  const held = books.filter(({ recordedUnits, ledgerUnits }) => recordedUnits !== 0n || ledgerUnits !== 0n);
  const wrong = books
    .filter(({ recordedUnits, ledgerUnits }) => recordedUnits !== ledgerUnits)
    .map(({ asset, recordedUnits: expectedUnits, ledgerUnits: foundUnits }): ChainDifference => {
      return { kind: 'ledger', address: null, asset, expectedUnits, foundUnits };
    });
  const came = held.flatMap(({ asset }) => (unlisted.includes(asset) ? [asset] : []));
  return { assets: [...listed, ...came], wrong };
}

/** At most what the scanner has read: later deposits are not recorded yet. */
async function heightToCheck(deps: ReconcileNeeds, chain: string, wanted: number | null): Promise<number> {
  const cursor = await deps.unitOfWork.run((repositories) => repositories.chains.cursor(chain));
  if (cursor === null || cursor.finalizedHeight < 0)
    throw new ChainUnavailable(`${chain} has not been read yet`);
  if (wanted === null) return cursor.finalizedHeight;
  if (wanted <= cursor.height) return wanted;
  throw new ChainUnavailable(`${chain} has been read up to block ${cursor.height}, not to ${wanted}`);
}
