/** What the people of a history may see and do, and what they know. */
import type { FakeChain } from '../../../../src/adapters/chains/fake/fake-chain.ts';
import type { Asset } from '../../../../src/domain/catalog/asset.ts';
import { chainNamed } from '../../../../src/domain/catalog/chain.ts';
import type { RiskVerdict } from '../../../../src/ports/deposits/risk-screener.ts';
import type { Seeded } from '../../../support/runtime/seeded.ts';
import type { NodeViews } from '../node-views.ts';
import type { RunningProcess } from '../processes.ts';
import type { Backups } from './backups.ts';
import type { Switch } from './switches.ts';

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

/** A merchant's order of an invoice, with the number of the order in its body. */
export interface InvoiceOrder {
  readonly key: string;
  readonly asset: Asset;
  readonly body: Readonly<Record<string, unknown>> & { readonly metadata: { readonly order: string } };
}

export interface CustomersPayment {
  readonly chain: string;
  readonly txid: string;
  readonly to: string;
}

/** What an act may see and do. */
export interface Stage {
  readonly random: Seeded;
  readonly chains: ReadonlyMap<string, FakeChain>;
  readonly keys: readonly string[];
  readonly invoices: KnownInvoice[];
  /** Orders of invoices without an answer: they are sent again. */
  readonly unanswered: InvoiceOrder[];
  readonly permanent: string[];
  /** By address: invoices, and users of merchants, that were given it. */
  readonly owners: Map<string, Set<string>>;
  readonly intents: Intent[];
  /** Payments of customers. */
  readonly txids: CustomersPayment[];
  /** Those whose money the customer spent otherwise. */
  readonly spentTwice: Set<string>;
  readonly backups: Backups;
  /** Whether final blocks may be replaced. */
  readonly isDeep: boolean;
  /** Payments of customers that were final, and come back whenever they leave the chain. */
  readonly returning: Set<string>;
  /** The tip of the chain when the operator's money was there. */
  beganAt(chain: string): number;
  api(): RunningProcess;
  workers(): readonly RunningProcess[];
  assets(chain: string): readonly Asset[];
  /** An address of nobody, of the chain's family. */
  stranger(chain: string): string;
  uuid(): string;
  /** Asks the API; `answered` is told null where no answer came. */
  ask(request: ApiRequest, answered: (answer: ApiAnswer | null) => void): void;
  /** An operator's order, in the API process by default. */
  order(what: string, work: () => Promise<unknown>, on?: RunningProcess): void;
  /** Ids in the books, for what people choose from: as an operator's list shows them. */
  idsOf(what: Listed): Promise<readonly string[]>;
  setVerdict(verdict: RiskVerdict): void;
  pass(ms: number): void;
  readonly views: NodeViews;
  readonly on: ReadonlySet<Switch>;
  kill(process: RunningProcess): void;
  setSkew(process: RunningProcess, skewMs: number): void;
  pause(process: RunningProcess): void;
  /** All that are paused. */
  resume(): void;
  tell(by: string, what: string): void;
}

/** `restored payouts`: held, since the chain may have paid them. */
type Listed = 'held' | 'stray' | 'open payouts' | 'restored payouts' | 'failed payouts' | 'signed';

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
  /** Only in histories whose seed switched it on. */
  readonly needs?: Switch;
  run(stage: Stage): Promise<void> | void;
}

export function pick<T>({ random }: Stage, things: readonly T[]): T | undefined {
  return things.length === 0 ? undefined : things[random.int(things.length)];
}

export function chainOf(stage: Stage): { readonly name: string; readonly chain: FakeChain } {
  const [name, chain] = pick(stage, [...stage.chains])!;
  return { name, chain };
}

/** So many cents' worth, at the prices of the test. */
export function worth(asset: Asset, cents: number): bigint {
  const one = 10n ** BigInt(asset.decimals);
  return asset.symbol.startsWith('USD') ? (BigInt(cents) * one) / 100n : (BigInt(cents) * one) / 200_000n;
}

/** Notes whose address it is. */
export function own({ owners }: Stage, address: string, owner: string): void {
  owners.set(address, (owners.get(address) ?? new Set()).add(owner));
}

export function pay(stage: Stage, name: string, payment: { to: string; asset: string; units: bigint }): void {
  if (payment.units <= 0n) return;
  const { txid } = stage.chains.get(name)!.control.pay(payment);
  stage.txids.push({ chain: name, txid, to: payment.to });
  stage.tell('customer', `pays ${payment.units} ${payment.asset} to ${payment.to} (${txid})`);
}

const named = (chain: string) => chainNamed(chain as Parameters<typeof chainNamed>[0]);
export const familyOf = (chain: string) => named(chain).family;
export const confirmationsOf = (chain: string): number => named(chain).confirmations;
