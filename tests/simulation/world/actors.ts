/**
 * What people, miners and time do in a history. Each act is drawn with the random numbers of its
 * turn alone, so that a failing history still fails when other turns are left out.
 */
import type { FakeChain } from '../../../src/adapters/chains/fake/fake-chain.ts';
import { creditStray, rejectHeld, releaseHeld } from '../../../src/app/deposits/unmatched-deposits.ts';
import { refundInvoice } from '../../../src/app/payouts/refunds/refund-invoice.ts';
import { cancelPayout, retryPayout } from '../../../src/app/sending/operate-payouts.ts';
import type { Asset } from '../../../src/domain/catalog/asset.ts';
import { chainNamed } from '../../../src/domain/catalog/chain.ts';
import { formatUnits, unitsOf } from '../../../src/domain/money/decimal.ts';
import type { RiskVerdict } from '../../../src/ports/deposits/risk-screener.ts';
import type { Seeded } from '../../support/runtime/seeded.ts';
import type { RunningProcess } from './processes.ts';

/** A merchant's order to pay, with the key that makes it one payout however often it is sent. */
export interface Intent {
  readonly uniqId: string;
  readonly key: string;
  readonly to: string;
  readonly asset: Asset;
  readonly units: bigint;
  /** Payouts that the API named for it. */
  readonly ids: Set<string>;
  state: 'asking' | 'accepted' | 'refused' | 'unknown';
}

export interface KnownInvoice {
  readonly id: string;
  readonly externalId: string;
  readonly to: string;
  readonly asset: string;
  readonly dueUnits: bigint;
}

/** What an act may see and do. */
export interface Stage {
  readonly random: Seeded;
  readonly chains: ReadonlyMap<string, FakeChain>;
  readonly keys: readonly string[];
  readonly invoices: KnownInvoice[];
  readonly permanent: string[];
  readonly intents: Intent[];
  /** Payments of customers. */
  readonly txids: { readonly chain: string; readonly txid: string }[];
  api(): RunningProcess;
  workers(): readonly RunningProcess[];
  assets(chain: string): readonly Asset[];
  /** An address of nobody, of the chain's family. */
  stranger(chain: string): string;
  uuid(): string;
  /** Asks the API; `answered` is told null where no answer came. */
  ask(request: ApiRequest, answered: (answer: ApiAnswer | null) => void): void;
  /** An operator's order, in the API process. */
  order(what: string, work: () => Promise<unknown>): void;
  /** Ids in the books, for what people choose from: as an operator's list shows them. */
  idsOf(what: 'held' | 'stray' | 'open payouts' | 'failed payouts' | 'signed'): Promise<readonly string[]>;
  setVerdict(verdict: RiskVerdict): void;
  pass(ms: number): void;
  kill(process: RunningProcess): void;
  tell(by: string, what: string): void;
}

export interface ApiRequest {
  readonly key: string;
  readonly path: string;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are JSON of many shapes
  readonly body: any;
}

export interface Act {
  readonly name: string;
  readonly weight: number;
  /** Only while faults happen. */
  readonly isFault?: true;
  run(stage: Stage): Promise<void> | void;
}

const DEEPEST = 8;
const BLOCK_SECONDS = 12;

function pick<T>({ random }: Stage, things: readonly T[]): T | undefined {
  return things.length === 0 ? undefined : things[random.int(things.length)];
}

function chainOf(stage: Stage): { readonly name: string; readonly chain: FakeChain } {
  const [name, chain] = pick(stage, [...stage.chains])!;
  return { name, chain };
}

/** So many cents' worth, at the prices of the test. */
function worth(asset: Asset, cents: number): bigint {
  const one = 10n ** BigInt(asset.decimals);
  return asset.symbol.startsWith('USD') ? (BigInt(cents) * one) / 100n : (BigInt(cents) * one) / 200_000n;
}

function pay(stage: Stage, name: string, payment: { to: string; asset: string; units: bigint }): void {
  if (payment.units <= 0n) return;
  const { txid } = stage.chains.get(name)!.control.pay(payment);
  stage.txids.push({ chain: name, txid });
  stage.tell('customer', `pays ${payment.units} ${payment.asset} to ${payment.to} (${txid})`);
}

const createInvoice: Act = {
  name: 'create an invoice',
  weight: 14,
  run(stage) {
    const { random } = stage;
    const { name } = chainOf(stage);
    const asset = pick(stage, stage.assets(name))!;
    const body = {
      amount: (500 + random.int(20_000)) / 100,
      fiat_currency: 'USD',
      asset: asset.key,
      billing_type: random.pick(['STATIC', 'STATIC', 'VARY']),
      fee_bearer: random.pick(['merchant', 'client']),
      ttl: 300 + random.int(900),
    };
    stage.ask({ key: pick(stage, stage.keys)!, path: 'invoices', body }, (answer) => {
      if (answer?.status !== 201) return;
      const { order_id: id, external_id: externalId, address_to: to, amount } = answer.body.result;
      const dueUnits = unitsOf(String(amount), asset.decimals);
      stage.invoices.push({ id, externalId, to, asset: asset.key, dueUnits });
      stage.tell('merchant', `has invoice ${id} for ${amount} ${asset.key} to ${to}`);
    });
  },
};

const permanentAddress: Act = {
  name: 'ask for a permanent address',
  weight: 3,
  run(stage) {
    const { family } = chainNamed(chainOf(stage).name as Parameters<typeof chainNamed>[0]);
    const body = { user_id: `user ${stage.random.int(3)}`, family };
    stage.ask({ key: pick(stage, stage.keys)!, path: 'permanent', body }, (answer) => {
      const address = answer?.body?.result?.address;
      if (typeof address === 'string') stage.permanent.push(address);
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
    const share = random.pick([1_000n, 1_000n, 1_000n, 400n, 1_300n, 600n]);
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

const createPayout: Act = {
  name: 'order a payout, or the same again',
  weight: 11,
  run(stage) {
    const { random } = stage;
    const again = stage.intents.find(({ state }) => state === 'unknown');
    if (again) return askForPayout(stage, again);
    const { name } = chainOf(stage);
    const asset = pick(stage, stage.assets(name))!;
    const intent: Intent = {
      ...{ uniqId: stage.uuid(), key: pick(stage, stage.keys)!, to: stage.stranger(name), asset },
      ...{ units: worth(asset, 300 + random.int(4_000)), ids: new Set<string>(), state: 'asking' },
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

const mine: Act = {
  name: 'mine',
  weight: 18,
  run(stage) {
    const { name, chain } = chainOf(stage);
    const count = 1 + stage.random.int(3);
    chain.control.mine(count);
    stage.tell('miner', `mines ${count} of ${name}`);
    stage.pass(count * BLOCK_SECONDS * 1_000);
  },
};

const reorganise: Act = {
  name: 'reorganise',
  weight: 5,
  isFault: true,
  async run(stage) {
    const { random } = stage;
    const { name, chain } = chainOf(stage);
    const { confirmations } = chainNamed(name as Parameters<typeof chainNamed>[0]);
    const depth = 1 + random.int(Math.min(DEEPEST, Math.max(1, confirmations - 1)));
    // A chain whose first block is final replaces none that was read as final.
    if (confirmations === 1) return;
    const all = [
      ...stage.txids.filter((one) => one.chain === name).map(({ txid }) => txid),
      ...(await stage.idsOf('signed')),
    ];
    const { height } = (await chain.scanner.head()).tip;
    const keep: string[] = [];
    const requeue: string[] = [];
    for (const txid of all) {
      const place = await chain.scanner.lookup(txid);
      if (place.state !== 'mined' || place.height <= height - depth) continue;
      const fate = random.int(3);
      if (fate === 0) keep.push(txid);
      else if (fate === 1) requeue.push(txid);
    }
    chain.control.reorg(depth, { keep, requeue });
    stage.tell(
      'miner',
      `replaces ${depth} blocks of ${name}: ${keep.length} kept, ${requeue.length} wait again`,
    );
  },
};

const evict: Act = {
  name: 'evict or spend twice',
  weight: 3,
  isFault: true,
  run(stage) {
    const { random } = stage;
    const { name, chain } = chainOf(stage);
    const txid = pick(stage, chain.control.waiting());
    if (txid === undefined) return;
    const isCustomers = stage.txids.some((one) => one.txid === txid);
    if (isCustomers && random.int(2) === 0) {
      chain.control.doubleSpend(txid, { to: stage.stranger(name) });
      stage.tell('customer', `spends ${txid} again`);
    } else {
      chain.control.drop(txid);
      stage.tell('node', `forgets ${txid}`);
    }
  },
};

const wait: Act = {
  name: 'wait',
  weight: 6,
  run(stage) {
    const seconds = 1 + stage.random.int(120);
    stage.tell('time', `passes: ${seconds} s`);
    stage.pass(seconds * 1_000);
  },
};

const spoilNode: Act = {
  name: 'spoil a node',
  weight: 5,
  isFault: true,
  run(stage) {
    const { random } = stage;
    const { name, chain } = chainOf(stage);
    const lag = random.int(2) === 0 ? 0 : 1 + random.int(3);
    const disagrees = random.int(3) === 0;
    const fees = random.pick([100, 100, 250, 60, 500]);
    chain.control.lag(lag);
    chain.control.disagree(disagrees);
    chain.control.setFeeLevel(fees);
    stage.tell('node', `of ${name} lags by ${lag}, ${disagrees ? 'disagrees' : 'agrees'}, fees ${fees} %`);
  },
};

const judge: Act = {
  name: 'change the risk verdict',
  weight: 2,
  isFault: true,
  run(stage) {
    const kind = stage.random.pick(['pass', 'pass', 'hit', 'unavailable']);
    stage.setVerdict(kind === 'pass' ? { kind } : { kind, reason: 'simulated' });
    stage.tell('risk check', `says ${kind}`);
  },
};

const kill: Act = {
  name: 'kill a process',
  weight: 3,
  isFault: true,
  run(stage) {
    stage.kill(pick(stage, [...stage.workers(), stage.api()])!);
  },
};

const decideDeposit: Act = {
  name: 'decide about a deposit',
  weight: 3,
  async run(stage) {
    const { dependencies } = stage.api().service;
    const what = stage.random.pick(['held', 'stray']);
    const releases = stage.random.int(2) === 0;
    const id = pick(stage, await stage.idsOf(what));
    if (id === undefined) return;
    if (what === 'stray') stage.order(`credits ${id}`, () => creditStray(dependencies)(id));
    else if (releases) stage.order(`releases ${id}`, () => releaseHeld(dependencies)(id));
    else stage.order(`rejects ${id}`, () => rejectHeld(dependencies)(id, 'simulated'));
  },
};

const decidePayout: Act = {
  name: 'decide about a payout',
  weight: 3,
  async run(stage) {
    const { dependencies } = stage.api().service;
    const what = stage.random.pick(['open payouts', 'failed payouts']);
    const id = pick(stage, await stage.idsOf(what));
    if (id === undefined) return;
    if (what === 'failed payouts') stage.order(`retries ${id}`, () => retryPayout(dependencies)(id));
    else stage.order(`cancels ${id}`, () => cancelPayout(dependencies)(id));
  },
};

const ACTS: readonly Act[] = [
  ...[createInvoice, permanentAddress, payInvoice, payPermanent, createPayout, refund, mine, reorganise],
  ...[evict, wait, spoilNode, judge, kill, decideDeposit, decidePayout],
];

export function drawAct(random: Seeded, { faults }: { faults: boolean }): Act {
  const possible = ACTS.filter(({ isFault = false }) => faults || !isFault);
  let left = random.int(possible.reduce((sum, { weight }) => sum + weight, 0));
  for (const act of possible) {
    left -= act.weight;
    if (left < 0) return act;
  }
  return wait;
}
