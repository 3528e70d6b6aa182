/**
 * Regtest nodes of the three chains behind one interface for tests: payments, blocks on demand,
 * reorganisations and double spends, all by real transactions of the node's own coins.
 */
import { createHash, randomBytes } from 'node:crypto';
import {
  addressOf,
  payToPublicKeyHash,
  payToWitness,
  scriptOf,
} from '../../../src/adapters/chains/utxo/codec/address.ts';
import { type UtxoNetwork, utxoNetwork } from '../../../src/adapters/chains/utxo/network.ts';
import type { UtxoFamily } from '../../../src/domain/catalog/family.ts';
import type { NodeRpc } from './json-rpc.ts';
import { type RawOutput, type Utxo, unsignedTransaction } from './raw-transaction.ts';

export interface Payment {
  /** Address text, or the scriptPubKey itself. */
  readonly to: string | Uint8Array;
  readonly units: bigint;
}

export interface RegtestNode {
  readonly family: UtxoFamily;
  readonly network: UtxoNetwork;
  /** JSON-RPC, with user and password. */
  readonly url: string;
  readonly rpc: NodeRpc;
  /** Where rewards and change go. */
  readonly ownAddress: string;
  height(): Promise<number>;
  /** An address of the type that deposits have; nobody has its key. */
  freshAddress(): string;
  scriptOf(address: string): Uint8Array;
  /**
   * A transaction with these outputs, in this order, and change; not sent. `spending` names what to
   * spend instead of coins of the node's choice.
   */
  sign(
    payments: readonly Payment[],
    options?: { spending?: readonly Utxo[]; feeUnits?: bigint },
  ): Promise<Signed>;
  send(raw: string): Promise<string>;
  /** Signs and sends. */
  pay(payments: readonly Payment[], options?: { feeUnits?: bigint }): Promise<Signed>;
  /** Appends blocks; the first takes what waits. Answers their hashes. */
  mine(count?: number): Promise<readonly string[]>;
  /** Appends one block with what waits; the reward goes to `address`. */
  mineTo(address: string): Promise<void>;
  /** Appends one block with exactly these transactions. */
  mineOnly(transactions: readonly string[]): Promise<string>;
  /**
   * Replaces the last `depth` blocks by as many; the first has exactly `transactions`. What the
   * removed blocks held waits again, unless its coins are spent by those.
   */
  reorg(depth: number, transactions?: readonly string[]): Promise<void>;
  /**
   * The same, but what the removed blocks held is gone for good: its coins go back to the node in
   * the first new block.
   */
  reorgAway(depth: number): Promise<void>;
  /** Raw transactions of the last `depth` blocks, oldest first, without coinbases. */
  rawOfLast(depth: number): Promise<readonly string[]>;
  stop(): Promise<void>;
}

export interface Signed {
  readonly txid: string;
  readonly raw: string;
  /** What it spends. */
  readonly utxos: readonly Utxo[];
}

/** What differs from node to node. */
export interface NodeDriver {
  readonly family: UtxoFamily;
  readonly url: string;
  readonly rpc: NodeRpc;
  /** Confirmed coins that can be spent and are not. */
  coins(): Promise<readonly Utxo[]>;
  signed(unsigned: string, coins: readonly Utxo[]): Promise<string>;
  send(raw: string): Promise<string>;
  /** Where rewards and change go. */
  readonly ownAddress: string;
  stop(): Promise<void>;
}

const FEE_UNITS = 20_000n;
const SPLIT_FEE_UNITS = 400_000n;
/** A coin per payment that waits: enough for what a test sends between two blocks. */
const COINS = 100;
/** A chain of its own for every test file, old enough that a few coinbases can be spent. */
const FIRST_BLOCKS = 104;

export async function regtestNode(driver: NodeDriver): Promise<RegtestNode> {
  const { family, url, rpc } = driver;
  const network = utxoNetwork(family, 'regtest');

  function output({ to, units }: Payment): RawOutput {
    const script = typeof to === 'string' ? scriptOf(network, to) : to;
    if (script === null) throw new Error(`no address of ${family} regtest: ${String(to)}`);
    return { script, units };
  }

  function script(): Uint8Array {
    const hash = randomBytes(20);
    return network.bech32 === null ? payToPublicKeyHash(hash) : payToWitness(0, hash);
  }

  /**
   * Rewards go to a different address each time: two blocks at one height are never the same block.
   */
  const freshAddress = (): string => addressOf(network, script())!;

  async function enough(units: bigint): Promise<readonly Utxo[]> {
    const coins = (await driver.coins()).toSorted((a, b) => (a.units < b.units ? -1 : 1));
    const one = coins.find((coin) => coin.units >= units);
    if (one === undefined) throw new Error(`the node of ${family} has no coin of ${units}`);
    return [one];
  }

  const sign: RegtestNode['sign'] = async (payments, { spending, feeUnits = FEE_UNITS } = {}) => {
    const paid = payments.reduce((sum, { units }) => sum + units, feeUnits);
    const coins = spending ?? (await enough(paid));
    const change = coins.reduce((sum, { units }) => sum + units, 0n) - paid;
    const outputs = payments.map(output);
    if (change > 10_000n) outputs.push(output({ to: driver.ownAddress, units: change }));
    const raw = await driver.signed(unsignedTransaction(coins, outputs), coins);
    const { txid } = await rpc<{ txid: string }>('decoderawtransaction', raw);
    return { txid, raw, utxos: coins };
  };

  const pay: RegtestNode['pay'] = async (payments, options) => {
    const signed = await sign(payments, options);
    await driver.send(signed.raw);
    return signed;
  };

  const height = (): Promise<number> => rpc<number>('getblockcount');
  const hashAt = (at: number): Promise<string> => rpc<string>('getblockhash', at);
  const mine = (count = 1): Promise<readonly string[]> =>
    rpc<string[]>('generatetoaddress', count, driver.ownAddress);
  const mineOnly = async (transactions: readonly string[]): Promise<string> =>
    (await rpc<{ hash: string }>('generateblock', freshAddress(), transactions)).hash;

  async function replace(depth: number, transactions: readonly string[]): Promise<void> {
    await rpc('invalidateblock', await hashAt((await height()) - depth + 1));
    await mineOnly(transactions);
    for (let mined = 1; mined < depth; mined++) await mineOnly([]);
  }

  /**
   * Without an index of transactions only the node's wallet knows what is in blocks: its own, as
   * all here are.
   */
  const rawOf = (txid: string): Promise<string> =>
    rpc<string>('getrawtransaction', txid).catch(
      async () => (await rpc<{ hex: string }>('gettransaction', txid)).hex,
    );

  const rawOfLast: RegtestNode['rawOfLast'] = async (depth) => {
    const top = await height();
    const raws: string[] = [];
    for (let at = top - depth + 1; at <= top; at++) {
      const block = await rpc<{ tx: string[] }>('getblock', await hashAt(at), true);
      for (const txid of block.tx.slice(1)) raws.push(await rawOf(txid));
    }
    return raws;
  };

  /** Spends what `raws` spend to the node itself, as far as that existed before them. */
  async function rivalsOf(raws: readonly string[]): Promise<readonly string[]> {
    const own = new Set<string>();
    const rivals: string[] = [];
    for (const raw of raws) {
      const { txid, vin } = await rpc<{ txid: string; vin: { txid: string; vout: number }[] }>(
        'decoderawtransaction',
        raw,
      );
      own.add(txid);
      if (vin.some((input) => own.has(input.txid))) continue;
      const coins = await Promise.all(vin.map((input) => coinOf(input)));
      const units = coins.reduce((sum, coin) => sum + coin.units, 0n);
      const { raw: rival } = await sign([{ to: driver.ownAddress, units: units - FEE_UNITS }], {
        spending: coins,
      });
      rivals.push(rival);
    }
    return rivals;
  }

  async function coinOf({ txid, vout }: { txid: string; vout: number }): Promise<Utxo> {
    const { vout: outputs } = await rpc<{
      vout: { value: number; scriptPubKey: { hex: string } }[];
    }>('decoderawtransaction', await rawOf(txid));
    const { value, scriptPubKey } = outputs[vout]!;
    return { txid, vout, units: BigInt(value.toFixed(8).replace('.', '')), script: scriptPubKey.hex };
  }

  await mine(FIRST_BLOCKS);
  const [first] = await driver.coins();
  const share = (first!.units - 2n * SPLIT_FEE_UNITS) / BigInt(COINS);
  await pay(
    Array.from({ length: COINS }, () => ({ to: driver.ownAddress, units: share })),
    { feeUnits: SPLIT_FEE_UNITS },
  );
  await mine();

  return {
    family,
    network,
    url,
    rpc,
    ownAddress: driver.ownAddress,
    height,
    freshAddress,
    scriptOf: (address) => output({ to: address, units: 0n }).script,
    sign,
    send: driver.send,
    pay,
    mine,
    mineTo: async (address) => {
      await rpc('generatetoaddress', 1, address);
    },
    mineOnly,
    reorg: (depth, transactions = []) => replace(depth, transactions),
    reorgAway: async (depth) => replace(depth, await rivalsOf(await rawOfLast(depth))),
    rawOfLast,
    stop: driver.stop,
  };
}

/** A transaction id that nobody made. */
export function unknownTxid(): string {
  return createHash('sha256').update(randomBytes(16)).digest('hex');
}
