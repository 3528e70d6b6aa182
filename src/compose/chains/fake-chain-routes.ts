/**
 * The fake chains over HTTP, for testers: `POST /fake/chains/{chain}/{action}` with a JSON body.
 * The routes exist only with CHAINS=fake; money on those chains has no value.
 */
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { FakeChain } from '../../adapters/chains/fake/fake-chain.ts';
import type { FakeChainControl } from '../../adapters/chains/fake/fake-control.ts';
import type { PublicRoute } from '../../adapters/http/kit/route.ts';
import type { AssetCatalog } from '../../domain/catalog/asset.ts';
import { formatUnits, parseDecimal, toUnits } from '../../domain/money/decimal.ts';

const Money = {
  to: Type.String(),
  asset: Type.String(),
  /** Whole coins, as a decimal in a string. */
  amount: Type.String(),
};
const Txid = Type.Object({ txid: Type.String() });
const Switch = Type.Object({ on: Type.Boolean() });

/** The parameters and effect of each action; its result is the response. */
function actions(catalog: AssetCatalog) {
  return {
    pay: action(Type.Object({ ...Money, from: Type.Optional(Type.String()) }), (control, body) =>
      control.pay({
        to: body.to,
        asset: body.asset,
        units: unitsGiven(catalog, body),
        ...(body.from === undefined ? {} : { from: body.from }),
      }),
    ),
    /**
     * For wallets: the money arrives immediately and without a transaction, except on UTXO chains,
     * where a block brings it.
     */
    fund: action(Type.Object(Money), (control, body) =>
      control.fund(body.to, body.asset, unitsGiven(catalog, body)),
    ),
    received: action(Type.Object({ address: Type.String() }), (control, { address }) =>
      control.received(address).map(({ txid, height, from, asset, units }) => ({
        txid,
        height,
        from,
        asset,
        amount: formatUnits(units, catalog.get(asset)!.decimals),
      })),
    ),
    mine: action(
      Type.Object({ count: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })) }),
      (control, body) => control.mine(body.count ?? 1),
    ),
    reorg: action(
      Type.Object({
        depth: Type.Integer({ minimum: 1, maximum: 1000 }),
        keep: Type.Optional(Type.Array(Type.String())),
        requeue: Type.Optional(Type.Array(Type.String())),
      }),
      (control, { depth, ...fate }) => control.reorg(depth, fate),
    ),
    drop: action(Txid, (control, { txid }) => control.drop(txid)),
    'double-spend': action(Type.Object({ txid: Type.String(), to: Type.String() }), (control, { txid, to }) =>
      control.doubleSpend(txid, { to }),
    ),
    /** The next transaction of a wallet to the address fails on the chain, and costs its fee. */
    revert: action(Type.Object({ to: Type.String() }), (control, { to }) => control.revertNext(to)),
    fail: action(Switch, (control, { on }) => control.fail(on)),
    disagree: action(Switch, (control, { on }) => control.disagree(on)),
  };
}

export function fakeChainRoutes(
  chains: ReadonlyMap<string, FakeChain>,
  catalog: AssetCatalog,
): readonly PublicRoute[] {
  return Object.entries(actions(catalog)).map(([name, run]) => ({
    method: 'POST',
    path: `/fake/chains/:chain/${name}`,
    async respond(request, params) {
      const chain = chains.get(params.chain ?? '');
      if (!chain) return refusal(404, `no such chain; there are ${[...chains.keys()].join(', ')}`);
      try {
        const text = await request.text();
        return Response.json({
          ok: true,
          result: run(chain.control, text === '' ? {} : JSON.parse(text)) ?? null,
        });
      } catch (error) {
        return refusal(400, error instanceof Error ? error.message : String(error));
      }
    },
  }));
}

function unitsGiven(catalog: AssetCatalog, body: { asset: string; amount: string }): bigint {
  const asset = catalog.get(body.asset);
  const amount = parseDecimal(body.amount);
  const units = asset && amount && toUnits(amount, asset.decimals);
  if (!units || units <= 0n)
    throw new Error('asset must be a full key, amount a decimal above zero that it can carry');
  return units;
}

function action<Body extends TSchema>(
  schema: Body,
  run: (control: FakeChainControl, body: Static<Body>) => unknown,
) {
  return (control: FakeChainControl, body: unknown): unknown => {
    const fault = Value.Errors(schema, body).First();
    if (fault) throw new Error(`${fault.path.slice(1) || 'body'}: ${fault.message}`);
    return run(control, body as Static<Body>);
  };
}

function refusal(status: number, message: string): Response {
  return Response.json(
    { ok: false, error: { code: status === 404 ? 'NOT_FOUND' : 'INVALID_JSON', message } },
    { status },
  );
}
