/**
 * A network of the XRP Ledger in memory: transactions come in, ledgers close by hand or by a timer,
 * are validated at once or later, and can be taken back. Real: the codec, hashes and signatures of
 * transactions, fees, sequences, LastLedgerSequence, reserves, results and metadata of accounts.
 * Not modelled: consensus and its messages, trees of state (ledger hashes are made up), tickets,
 * multi-signing, key changes, the auction of the transaction queue, and types of transactions that
 * transactor.ts does not list.
 */
import { readBlob, type Submitted, sha512Half } from './transaction.ts';
import { applied, malformed, type Outcome, type Place } from './transactor.ts';
import { BASE_FEE, EMPTY_WORLD, type World } from './world.ts';

export interface ClosedTransaction extends Submitted {
  readonly meta: Readonly<Record<string, unknown>>;
}

export interface Ledger {
  readonly index: number;
  readonly hash: string;
  readonly parentHash: string;
  /** Seconds since 2000. */
  readonly closeTime: number;
  readonly world: World;
  readonly transactions: readonly ClosedTransaction[];
}

export interface SubmitAnswer {
  readonly code: string;
  /** Whether the network keeps it: in the open ledger, or held until its turn comes. */
  readonly kept: boolean;
}

export interface XrpNetworkModel {
  readonly ledgers: readonly Ledger[];
  /** Transactions that wait, in the order in which they came. */
  readonly waiting: readonly Submitted[];
  /** Everything that was ever kept, by its hash. */
  readonly seen: ReadonlyMap<string, Submitted>;
  /** Position of the youngest validated ledger. */
  readonly validated: number;
  readonly fee: bigint;
  /** The world as the open ledger has it: with all that waits and can be applied. */
  open(): World;
  submit(blob: string): SubmitAnswer;
  /** Closes ledgers with what waits; `validate` false leaves them for `validate` or `replace`. */
  close(count?: number, options?: { validate?: boolean }): void;
  validate(): void;
  /**
   * Puts other ledgers in the place of the last `depth`: empty ones. Their transactions wait again,
   * or are forgotten.
   */
  replace(depth: number, options?: { forget?: boolean }): void;
  /** What waits is lost. */
  drop(): void;
  /** What the next ledgers take in; default everything. */
  include(judge: (transaction: Submitted) => boolean): void;
  /** Least fee of the next ledgers, drops; default the base fee. */
  charge(fee: bigint): void;
  /** Ledgers close by themselves until the answer is called. */
  closeEvery(milliseconds: number): () => void;
  /**
   * Gives drops out of nothing (or takes them away), in a ledger of their own: no transaction tells
   * of it.
   */
  fund(address: string, drops: bigint): void;
}

const FIRST_INDEX = 1_000;
const RIPPLE_EPOCH = 946_684_800;

/** `now`: milliseconds since 1970, for close times, which rise by a second at least. */
export function xrpNetworkModel(options: { now: () => number }): XrpNetworkModel {
  const ledgers: Ledger[] = [];
  let waiting: Submitted[] = [];
  const seen = new Map<string, Submitted>();
  let validated = -1;
  let fee = BASE_FEE;
  let made = 0;
  let judge: (transaction: Submitted) => boolean = () => true;

  const last = (): Ledger => ledgers.at(-1)!;
  const placeAfter = ({ index, closeTime }: Ledger): Place => ({ index: index + 1, now: closeTime, fee });

  function append(world: World, transactions: readonly ClosedTransaction[]): void {
    const parent = ledgers.at(-1);
    const index = parent === undefined ? FIRST_INDEX : parent.index + 1;
    const parentHash = parent?.hash ?? '0'.repeat(64);
    const seed = `${parentHash} ${index} ${++made} ${transactions.map(({ txid }) => txid).join()}`;
    const present = Math.floor(options.now() / 1000) - RIPPLE_EPOCH;
    const closeTime = Math.max((parent?.closeTime ?? 0) + 1, present);
    const hash = sha512Half(Buffer.from(seed).toString('hex'));
    ledgers.push({ index, hash, parentHash, closeTime, world, transactions });
  }

  /** Applies in rounds, so that a transaction which waits for another's sequence follows it. */
  function build(parent: Ledger): { world: World; taken: ClosedTransaction[]; left: Submitted[] } {
    const place = placeAfter(parent);
    let { world } = parent;
    const taken: ClosedTransaction[] = [];
    let left = waiting.filter(judge);
    const apart = waiting.filter((transaction) => !judge(transaction));
    for (let progress = true; progress; ) {
      progress = false;
      const again: Submitted[] = [];
      for (const transaction of left) {
        const outcome: Outcome = applied(world, transaction, place);
        if (outcome.world === null) {
          if (outcome.code.startsWith('ter') || outcome.code.startsWith('tel')) again.push(transaction);
          continue;
        }
        world = outcome.world;
        taken.push({ ...transaction, meta: { ...outcome.meta, TransactionIndex: taken.length } });
        progress = true;
      }
      left = again;
    }
    const expired = ({ tx }: Submitted): boolean =>
      tx.LastLedgerSequence !== undefined && tx.LastLedgerSequence <= place.index;
    return { world, taken, left: [...left, ...apart].filter((transaction) => !expired(transaction)) };
  }

  const open = (): World => build(last()).world;

  function submit(blob: string): SubmitAnswer {
    const submitted = readBlob(blob);
    if (submitted === null) return { code: 'invalidTransaction', kept: false };
    const wrong = malformed(submitted);
    if (wrong !== null) return { code: wrong, kept: false };
    if (waiting.some(({ txid }) => txid === submitted.txid)) return { code: 'tefALREADY', kept: true };
    const known = ledgers.some(({ transactions }) =>
      transactions.some(({ txid }) => txid === submitted.txid),
    );
    const { code } = applied(open(), submitted, placeAfter(last()));
    const kept = !known && /^(?:tes|tec|terPRE_SEQ)/.test(code);
    if (kept) {
      waiting = [...waiting, submitted];
      seen.set(submitted.txid, submitted);
    }
    return { code, kept };
  }

  const model: XrpNetworkModel = {
    ledgers,
    seen,
    get waiting() {
      return waiting;
    },
    get validated() {
      return validated;
    },
    get fee() {
      return fee;
    },
    open,
    submit,
    close(count = 1, { validate = true } = {}) {
      for (let closed = 0; closed < count; closed++) {
        const { world, taken, left } = build(last());
        waiting = left;
        append(world, taken);
        if (validate) model.validate();
      }
    },
    validate() {
      validated = ledgers.length - 1;
    },
    replace(depth, { forget = false } = {}) {
      const gone = ledgers.splice(-depth);
      const base = last();
      if (!forget) waiting = [...gone.flatMap(({ transactions }) => transactions), ...waiting];
      for (let added = 0; added < depth; added++) append(base.world, []);
      validated = Math.min(validated, ledgers.length - 1);
    },
    drop() {
      waiting = [];
    },
    include(next) {
      judge = next;
    },
    charge(drops) {
      fee = drops;
    },
    closeEvery(milliseconds) {
      const timer = setInterval(() => model.close(), milliseconds);
      return () => clearInterval(timer);
    },
    fund(address, drops) {
      const { world } = last();
      const opened = { balance: 0n, sequence: last().index + 1, owned: 0, flags: 0 };
      const account = world.accounts.get(address) ?? opened;
      const accounts = new Map(world.accounts).set(address, { ...account, balance: account.balance + drops });
      append({ ...world, accounts }, []);
      model.validate();
    },
  };
  append(EMPTY_WORLD, []);
  model.validate();
  return model;
}
