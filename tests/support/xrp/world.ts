/**
 * The state of a ledger of the test network: accounts, trust lines and objects. Records are
 * replaced, never changed, so a ledger keeps its own.
 */
import { hashes } from 'xrpl';

export interface Account {
  /** Drops. */
  readonly balance: bigint;
  readonly sequence: number;
  /** Objects that each lock an increment of the reserve. */
  readonly owned: number;
  readonly flags: number;
  /** The transaction that changed it last, and its ledger; absent where none ever did. */
  readonly last?: { readonly txid: string; readonly index: number };
}

/**
 * What waits in the ledger for somebody: `drops` left their owner's balance in an escrow, and are
 * only promised by a check.
 */
export interface LedgerObject {
  readonly kind: 'Check' | 'Escrow' | 'Offer';
  readonly owner: string;
  readonly destination: string;
  readonly drops: bigint;
  /** Offers: what all of it costs, in millionths of an issued currency, `currency.issuer`. */
  readonly price?: { readonly of: string; readonly units: bigint };
  readonly finishAfter?: number;
}

export interface World {
  readonly accounts: ReadonlyMap<string, Account>;
  /** What `<holder> <currency.issuer>` holds, millionths. */
  readonly lines: ReadonlyMap<string, bigint>;
  /** By id: the check's and offer's hash, `<owner>:<sequence>` for escrows. */
  readonly objects: ReadonlyMap<string, LedgerObject>;
}

export const EMPTY_WORLD: World = { accounts: new Map(), lines: new Map(), objects: new Map() };

export const BASE_RESERVE = 1_000_000n;
export const OWNER_RESERVE = 200_000n;
export const BASE_FEE = 10n;

/** lsfRequireDestTag and lsfDepositAuth. */
export const REQUIRE_DEST = 0x0002_0000;
export const DEPOSIT_AUTH = 0x0100_0000;

export const reserveOf = ({ owned }: Account): bigint => BASE_RESERVE + OWNER_RESERVE * BigInt(owned);

/** A world in the making, over the one before it; knows what it changed. */
export class Draft {
  readonly #base: World;
  readonly accounts: Map<string, Account>;
  readonly lines: Map<string, bigint>;
  readonly objects: Map<string, LedgerObject>;

  constructor(base: World) {
    this.#base = base;
    this.accounts = new Map(base.accounts);
    this.lines = new Map(base.lines);
    this.objects = new Map(base.objects);
  }

  change(address: string, next: (account: Account) => Account): void {
    const account = this.accounts.get(address);
    if (account === undefined) throw new Error(`no account ${address}`);
    this.accounts.set(address, next(account));
  }

  /**
   * Negative `drops` take; positive ones open the account if there is none, as of the ledger
   * `index`.
   */
  pay(address: string, drops: bigint, index: number): void {
    const account = this.accounts.get(address) ?? { balance: 0n, sequence: index, owned: 0, flags: 0 };
    this.accounts.set(address, { ...account, balance: account.balance + drops });
  }

  /** Nodes of AccountRoot entries, as metadata has them. From then on each of them names `last`. */
  affectedNodes(last: NonNullable<Account['last']>): readonly object[] {
    const addresses = new Set([...this.#base.accounts.keys(), ...this.accounts.keys()]);
    return [...addresses].flatMap((address) => {
      const before = this.#base.accounts.get(address);
      const after = this.accounts.get(address);
      if (before === after) return [];
      if (after !== undefined) this.accounts.set(address, { ...after, last });
      return [affectedNode(address, before, after)];
    });
  }
}

function affectedNode(address: string, before: Account | undefined, after: Account | undefined): object {
  const entry = { LedgerEntryType: 'AccountRoot', LedgerIndex: hashes.hashAccountRoot(address) };
  if (before === undefined)
    return { CreatedNode: { ...entry, NewFields: accountFields(address, after as Account) } };
  const was = accountFields(address, before);
  const FinalFields = after === undefined ? { ...was, Balance: '0' } : accountFields(address, after);
  const PreviousFields = Object.fromEntries(
    Object.entries(was).filter(([name, value]) => FinalFields[name as keyof typeof was] !== value),
  );
  const node = { ...entry, FinalFields, PreviousFields };
  return after === undefined ? { DeletedNode: node } : { ModifiedNode: { ...node, ...threadOf(before) } };
}

/** Which transaction changed an account last. */
export function threadOf({ last }: Account) {
  return { PreviousTxnID: last?.txid ?? '0'.repeat(64), PreviousTxnLgrSeq: last?.index ?? 0 };
}

export function accountFields(address: string, { balance, flags, owned, sequence }: Account) {
  const counted = { Flags: flags, OwnerCount: owned, Sequence: sequence };
  return { Account: address, Balance: balance.toString(), ...counted };
}
