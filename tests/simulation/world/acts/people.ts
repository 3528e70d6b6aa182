/** What merchants, customers and operators do. */
import type { FakeChain } from '../../../../src/adapters/chains/fake/fake-chain.ts';
import { creditStray, rejectHeld, releaseHeld } from '../../../../src/app/deposits/unmatched-deposits.ts';
import { refundInvoice } from '../../../../src/app/payouts/refunds/refund-invoice.ts';
import { cancelPayout, retryPayout } from '../../../../src/app/sending/operate-payouts.ts';
import { bookCapital } from '../../../../src/app/treasury/book-capital.ts';
import { treasuryChains } from '../../../../src/compose/treasury.ts';
import { formatUnits, unitsOf } from '../../../../src/domain/money/decimal.ts';
import {
  type Act,
  chainOf,
  familyOf,
  type Intent,
  type InvoiceOrder,
  own,
  pay,
  pick,
  type Stage,
  worth,
} from './stage.ts';

const createInvoice: Act = {
  name: 'create an invoice, or the same again',
  weight: 14,
  run(stage) {
    const { random } = stage;
    const again = stage.unanswered.shift();
    if (again) return orderInvoice(stage, again);
    const { name } = chainOf(stage);
    const asset = pick(stage, stage.assets(name))!;
    const body = {
      amount: (500 + random.int(20_000)) / 100,
      fiat_currency: 'USD',
      asset: asset.key,
      billing_type: random.pick(['STATIC', 'STATIC', 'VARY']),
      fee_bearer: random.pick(['merchant', 'client']),
      ttl: 300 + random.int(900),
      metadata: { order: stage.uuid() },
    };
    return orderInvoice(stage, { key: pick(stage, stage.keys)!, asset, body });
  },
};

/** The merchant's order number is the Idempotency-Key, so that there is one invoice for it. */
function orderInvoice(stage: Stage, order: InvoiceOrder): void {
  const { key, asset, body } = order;
  const headers = { 'idempotency-key': body.metadata.order };
  stage.ask({ key, path: 'invoices', body, headers }, (answer) => {
    if (answer === null || answer.status === 503) stage.unanswered.push(order);
    if (answer?.status !== 201) return;
    const { order_id: id, external_id: externalId, address_to: to, amount } = answer.body.result;
    const dueUnits = unitsOf(String(amount), asset.decimals);
    own(stage, to, id);
    stage.invoices.push({ id, externalId, to, asset: asset.key, dueUnits });
    stage.tell('merchant', `has invoice ${id} for ${amount} ${asset.key} to ${to}`);
  });
}

const permanentAddress: Act = {
  name: 'ask for a permanent address',
  weight: 3,
  run(stage) {
    const family = familyOf(chainOf(stage).name);
    const body = { user_id: `user ${stage.random.int(3)}`, family };
    const key = pick(stage, stage.keys)!;
    stage.ask({ key, path: 'permanent', body }, (answer) => {
      const address = answer?.body?.result?.address;
      if (typeof address !== 'string') return;
      stage.permanent.push(address);
      own(stage, address, `${key} ${body.user_id}`);
    });
  },
};

const payInvoice: Act = {
  name: 'pay',
  weight: 18,
  run(stage) {
    const { random } = stage;
    const invoice = pick(stage, stage.invoices);
    const asset = invoice && stage.assets('').find(({ key }) => key === invoice.asset);
    if (!invoice || !asset) return;
    const share = random.pick([1_000n, 1_000n, 1_000n, 400n, 1_300n, 600n, 20n]);
    const other = random.int(8) === 0 ? pick(stage, stage.assets(asset.chain)) : undefined;
    if (other && other.key !== asset.key)
      pay(stage, asset.chain, {
        to: invoice.to,
        asset: other.key,
        units: worth(other, 100 + random.int(9_000)),
      });
    else
      pay(stage, asset.chain, {
        to: invoice.to,
        asset: asset.key,
        units: (invoice.dueUnits * share) / 1_000n,
      });
  },
};

const payPermanent: Act = {
  name: 'pay a permanent address',
  weight: 4,
  run(stage) {
    const to = pick(stage, stage.permanent);
    const { name, chain } = chainOf(stage);
    const asset = pick(stage, stage.assets(name))!;
    // The address may be of another family than the chain that was drawn.
    if (to === undefined || !isOf(chain, to)) return;
    pay(stage, name, { to, asset: asset.key, units: worth(asset, 100 + stage.random.int(30_000)) });
  },
};

function isOf({ control }: FakeChain, address: string): boolean {
  try {
    control.received(address);
    return true;
  } catch {
    return false;
  }
}

export function askForPayout(stage: Pick<Stage, 'ask' | 'tell'>, intent: Intent): void {
  intent.state = 'asking';
  const body = {
    address: intent.to,
    amount: formatUnits(intent.units, intent.asset.decimals),
    asset: intent.asset.key,
    fiat_currency: 'native',
  };
  const headers = { 'x-uniq-id': intent.uniqId };
  stage.ask({ key: intent.key, path: 'payouts', body, headers }, (answer) => {
    const known = answer?.body?.result?.order_id ?? answer?.body?.error?.details?.order_id;
    if (answer === null || answer.status === 503) intent.state = 'unknown';
    else if (typeof known === 'string') {
      intent.state = 'accepted';
      intent.ids.add(known);
    } else intent.state = 'refused';
    stage.tell('merchant', `payout ${intent.uniqId} is ${intent.state} (${answer?.status ?? 'no answer'})`);
  });
}

/** Rarely more than the balance. */
const PAYOUT_CENTS = [4_000, 4_000, 4_000, 4_000, 60_000] as const;

const createPayout: Act = {
  name: 'order a payout, or the same again',
  weight: 16,
  run(stage) {
    const { random } = stage;
    const again = stage.intents.find(({ state }) => state === 'unknown');
    if (again) return askForPayout(stage, again);
    const { name } = chainOf(stage);
    const asset = pick(stage, stage.assets(name))!;
    const intent: Intent = {
      ...{ uniqId: stage.uuid(), key: pick(stage, stage.keys)!, to: stage.stranger(name), asset },
      ...{
        units: worth(asset, 300 + random.int(random.pick(PAYOUT_CENTS))),
        ids: new Set<string>(),
        state: 'asking',
      },
    };
    stage.intents.push(intent);
    return askForPayout(stage, intent);
  },
};

const refund: Act = {
  name: 'refund an invoice',
  weight: 4,
  run(stage) {
    const invoice = pick(stage, stage.invoices);
    if (invoice === undefined) return;
    const { dependencies } = stage.api().service;
    stage.order(`refunds ${invoice.id}`, () =>
      refundInvoice(dependencies)(invoice.id, { to: null, amount: null, by: 'operator', force: false }),
    );
  },
};

const decideDeposit: Act = {
  name: 'decide about a deposit',
  weight: 5,
  async run(stage) {
    const { dependencies } = stage.api().service;
    const [held, strays] = [await stage.idsOf('held'), await stage.idsOf('stray')];
    const releases = stage.random.int(2) === 0;
    const id = pick(stage, [...held, ...strays]);
    if (id === undefined) return;
    if (strays.includes(id)) stage.order(`credits ${id}`, () => creditStray(dependencies)(id));
    else if (releases) stage.order(`releases ${id}`, () => releaseHeld(dependencies)(id));
    else stage.order(`rejects ${id}`, () => rejectHeld(dependencies)(id, 'simulated'));
  },
};

/** Half of what the risk check held is rejected in the end; nobody decides about the rest. */
export async function rejectSome(stage: Stage): Promise<void> {
  const { dependencies } = stage.api().service;
  for (const id of await stage.idsOf('held'))
    if (stage.random.int(2) === 0)
      stage.order(`rejects ${id}`, () => rejectHeld(dependencies)(id, 'simulated'));
}

const decidePayout: Act = {
  name: 'decide about a payout',
  weight: 3,
  async run(stage) {
    const { dependencies } = stage.api().service;
    const what = stage.random.pick(['open payouts', 'failed payouts']);
    // The chain may have paid these: they need more than a look (restores.ts).
    const restored = new Set(await stage.idsOf('restored payouts'));
    const id = pick(
      stage,
      (await stage.idsOf(what)).filter((one) => !restored.has(one)),
    );
    if (id === undefined) return;
    if (what === 'failed payouts') stage.order(`retries ${id}`, () => retryPayout(dependencies)(id));
    else stage.order(`cancels ${id}`, () => cancelPayout(dependencies)(id));
  },
};

/** The operator's funding was booked before: there is nothing to find. */
const bookTheRest: Act = {
  name: 'book capital',
  weight: 2,
  run(stage) {
    const name = pick(
      stage,
      [...stage.chains].flatMap(([of, { sender }]) => (sender.utxos === null ? [of] : [])),
    );
    if (name === undefined) return;
    const { key: asset } = pick(stage, stage.assets(name))!;
    const worker = stage.workers()[0]!;
    const { chains, dependencies } = worker.service;
    const on = treasuryChains(chains, dependencies).get(name);
    if (on === undefined) return;
    stage.order(
      `books capital of ${asset}`,
      () => bookCapital(dependencies, on)({ asset, note: 'simulated', dryRun: false }),
      worker,
    );
  },
};

export const PEOPLE: readonly Act[] = [
  ...[createInvoice, permanentAddress, payInvoice, payPermanent, createPayout, refund],
  ...[decideDeposit, decidePayout, bookTheRest],
];
