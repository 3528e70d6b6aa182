/** What is there before a history begins: the operator's money, and that of the merchants. */

import type { HttpServer } from '../../../src/adapters/http/server.ts';
import type { WorkerJob } from '../../../src/app/shared/worker-job.ts';
import { bookCapital } from '../../../src/app/treasury/book-capital.ts';
import { treasuryChains } from '../../../src/compose/treasury.ts';
import type { Asset, AssetCatalog } from '../../../src/domain/catalog/asset.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { type ApiAnswer, type ApiRequest, type CustomersPayment, confirmationsOf } from './acts/stage.ts';
import type { Interleaving } from './interleaving.ts';
import { hotWalletOf, type RunningProcess, type World } from './processes.ts';
import type { Tasks } from './tasks.ts';

export function assetsOn({ all }: AssetCatalog, chains: readonly string[]): readonly Asset[] {
  return all.filter(({ chain, key }) => chains.includes(chain) && SIMULATED_TOKENS.test(key));
}
/** One token and the coin of each chain. */
const SIMULATED_TOKENS =
  /^(usdt_|usdc_solana|eth_ethereum|bnb_|pol_|trx_|sol_|xrp_|ton_|btc_|ltc_|bch_|xmr_)/;

const CHAINS_AT_ONCE = [1, 1, 1, 1, 1, 2, 2, 2, 3] as const;

export function drawChains(
  { chains }: { readonly chains: readonly string[] },
  { random }: Pick<Interleaving, 'random'>,
): readonly string[] {
  const left = [...chains];
  const drawn: string[] = [];
  for (let count = Math.min(left.length, random.pick(CHAINS_AT_ONCE)); count > 0; count -= 1)
    drawn.push(...left.splice(random.int(left.length), 1));
  return drawn.toSorted();
}

export async function askApi(
  http: Pick<HttpServer, 'handleOnce'>,
  { key, path, body, headers = {} }: ApiRequest,
): Promise<ApiAnswer> {
  const answer = await http.handleOnce(
    new Request(`http://api.example/api/v2/${path}`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }),
  );
  return { status: answer.status, body: await answer.json() };
}

/** Money of the operator for payouts, which the books know. */
export async function fund(world: World, setup: RunningProcess, tasks: Tasks): Promise<void> {
  const { service, process } = setup;
  for (const [name, fake] of world.chains) {
    const { control, sender } = fake;
    control.mine(30);
    // Nothing is sent on Monero from here.
    if (!service.sending.chains.has(name)) continue;
    const wallet = hotWalletOf(service, name);
    const assets = assetsOn(service.dependencies.catalog, [name]);
    for (const { key, decimals } of assets) {
      const units = 100_000n * 10n ** BigInt(decimals);
      world.funded.set(key, sender.utxos === null ? units : 6n * (units / 1_000n));
      if (sender.utxos === null) control.fund(wallet, key, units);
      else
        for (let nth = 0; nth < 6; nth += 1) control.pay({ to: wallet, asset: key, units: units / 1_000n });
    }
    // What a wallet is funded with is final, on Polygon under 64 blocks.
    control.mine(Math.max(30, confirmationsOf(name)));
  }
  for (const job of setup.jobs.filter(isForOpening))
    await tasks.drive({ process, name: job.name }, () => job.run());
  const on = treasuryChains(service.chains, service.dependencies);
  for (const [name, fake] of world.chains) {
    const treasury = on.get(name);
    if (fake.sender.utxos !== null || treasury === undefined) continue;
    for (const { key } of assetsOn(service.dependencies.catalog, [name]))
      await tasks.drive({ process, name: 'book capital' }, () =>
        bookCapital(service.dependencies, treasury)({ asset: key, note: 'simulated', dryRun: false }),
      );
  }
}

/**
 * A balance for each merchant: an invoice that was paid, with a token where the chain has one.
 * Returns the payments.
 */
export async function endow(
  world: World,
  {
    setup,
    api,
    keys,
    tasks,
  }: { setup: RunningProcess; api: RunningProcess; keys: readonly string[]; tasks: Tasks },
): Promise<readonly CustomersPayment[]> {
  const { catalog } = setup.service.dependencies;
  const paid: CustomersPayment[] = [];
  for (const [nth, key] of keys.entries())
    for (const [name, { control }] of world.chains) {
      const asset = assetsOn(catalog, [name]).find(({ type }) => type === 'token') ?? catalog.nativeOf(name);
      const body = { amount: 400 + nth, fiat_currency: 'USD', asset: asset.key };
      const made = await tasks.drive({ process: api.process, name: 'POST invoices' }, () =>
        askApi(api.service.http, { key, path: 'invoices', body }),
      );
      const { address_to: to, amount } = made.body.result;
      const { txid } = control.pay({ to, asset: asset.key, units: unitsOf(String(amount), asset.decimals) });
      paid.push({ chain: name, txid, to });
    }
  for (let round = 0; round < 2; round += 1) {
    for (const [name, { control }] of world.chains) control.mine(confirmationsOf(name) + 1);
    for (const job of setup.jobs.filter(isForOpening))
      await tasks.drive({ process: setup.process, name: job.name }, () => job.run());
  }
  return paid;
}

/** What reads chains and credits payments. */
function isForOpening({ name }: WorkerJob): boolean {
  return name.startsWith('chain:') || name === 'screen-deposits';
}
