/**
 * A test network with its nodes and everything a test does on it by hand: accounts, payments of
 * every kind, ledgers.
 */
import { readXrpAddress } from '../../../src/adapters/chains/xrp/codec/address.ts';
import { xrpNetwork } from '../../../src/adapters/chains/xrp/network.ts';
import { walletNamed } from './keys.ts';
import { type Ledger, type XrpNetworkModel, xrpNetworkModel } from './network.ts';
import { startXrpNode, type XrpNode } from './node.ts';

type TransactionFields = Readonly<Record<string, unknown>> & { readonly TransactionType: string };

export interface XrpLab {
  readonly network: XrpNetworkModel;
  readonly nodes: readonly XrpNode[];
  readonly urls: readonly string[];
  /**
   * Classic address of the account of that name, which has drops when it is asked for first: 10,000
   * XRP unless said otherwise.
   */
  account(name: string, drops?: bigint): string;
  /**
   * Signs by name, with the next sequence, a fee and no LastLedgerSequence unless they are given;
   * answers what the network said.
   */
  send(name: string, fields: TransactionFields): { readonly txid: string; readonly code: string };
  /**
   * A Payment in drops to an address in any form, from `payer`; throws unless the network takes it.
   */
  pay(to: string, drops: bigint, more?: Readonly<Record<string, unknown>>): string;
  /** Account of an address in any form. */
  classicOf(address: string): string;
  /** `send` and a closed ledger; throws unless the result is in it. */
  sendAndClose(name: string, fields: TransactionFields): { readonly txid: string; readonly result: string };
  last(): Ledger;
  /** Drops of an account in the youngest ledger. */
  balanceOf(address: string): bigint;
  close(): Promise<void>;
}

const PAYER = 'payer';
const RICH = 10_000_000_000n;

export function openXrpLab({ nodes: count = 1, now = () => Date.now() } = {}): XrpLab {
  const network = xrpNetworkModel({ now });
  const nodes = Array.from({ length: count }, () => startXrpNode(network));
  const last = (): Ledger => network.ledgers.at(-1)!;

  function account(name: string, drops = RICH): string {
    const { classicAddress } = walletNamed(name);
    if (!last().world.accounts.has(classicAddress) && drops > 0n) network.fund(classicAddress, drops);
    return classicAddress;
  }

  /** After all of its own that wait. */
  function nextNonce(address: string): number {
    const own = network.waiting.flatMap(({ tx }) => (tx.Account === address ? [tx.Sequence] : []));
    return Math.max((last().world.accounts.get(address)?.sequence ?? 0) - 1, ...own) + 1;
  }

  function send(name: string, fields: TransactionFields): { txid: string; code: string } {
    const Account = account(name);
    const filled = { Account, Fee: network.fee.toString(), Sequence: nextNonce(Account), ...fields };
    const signed = walletNamed(name).sign(filled as never);
    return { txid: signed.hash, code: network.submit(signed.tx_blob).code };
  }

  const lab: XrpLab = {
    network,
    nodes,
    urls: nodes.map(({ url }) => url),
    account,
    send,
    pay(to, drops, more = {}) {
      const destination = readXrpAddress(xrpNetwork('main'), to);
      if (destination === null) throw new Error(`not an address: ${to}`);
      const { account: Destination, tag } = destination;
      const meant = {
        Destination,
        ...(tag === null ? {} : { DestinationTag: tag }),
        Amount: drops.toString(),
      };
      const { txid, code } = send(PAYER, { TransactionType: 'Payment', ...meant, ...more });
      if (code !== 'tesSUCCESS') throw new Error(`the network says ${code}`);
      return txid;
    },
    sendAndClose(name, fields) {
      const { txid, code } = send(name, fields);
      network.close();
      const found = last().transactions.find((transaction) => transaction.txid === txid);
      if (found === undefined) throw new Error(`the network says ${code}`);
      return { txid, result: String(found.meta.TransactionResult) };
    },
    last,
    classicOf(address) {
      const read = readXrpAddress(xrpNetwork('main'), address);
      if (read === null) throw new Error(`not an address: ${address}`);
      return read.account;
    },
    balanceOf: (address) => last().world.accounts.get(lab.classicOf(address))?.balance ?? 0n,
    async close() {
      await Promise.all(nodes.map((node) => node.stop()));
    },
  };
  return lab;
}
