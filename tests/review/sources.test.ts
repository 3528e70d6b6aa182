/** Review of stage 3: what nodes without an index and Esplora servers answer, and what is made of it. */
import { describe, expect, test } from 'bun:test';
import { RpcError } from '../../src/adapters/chains/shared/faults.ts';
import type { RpcNode } from '../../src/adapters/chains/shared/rpc-node.ts';
import { addressOf, payToWitness } from '../../src/adapters/chains/utxo/address.ts';
import type { UtxoBackend } from '../../src/adapters/chains/utxo/backend.ts';
import { esploraBackend } from '../../src/adapters/chains/utxo/esplora-backend.ts';
import type { EsploraHttp } from '../../src/adapters/chains/utxo/esplora-http.ts';
import { doubleSha256, hashText, sha256Text } from '../../src/adapters/chains/utxo/hashes.ts';
import { utxoNetwork } from '../../src/adapters/chains/utxo/network.ts';
import { outcomeOf } from '../../src/adapters/chains/utxo/outcome.ts';
import { prepare } from '../../src/adapters/chains/utxo/prepare.ts';
import { rpcBackend } from '../../src/adapters/chains/utxo/rpc-backend.ts';
import { storedTransaction } from '../../src/adapters/chains/utxo/stored.ts';
import { decodeTransaction } from '../../src/adapters/chains/utxo/transaction.ts';
import { waitingPayments } from '../../src/adapters/chains/utxo/waiting-payments.ts';
import { unsignedTransaction } from '../support/nodes/raw-transaction.ts';
import { unknownTxid } from '../support/nodes/regtest.ts';
import { coinsOf, ofRate, orderOf, stubSending } from '../support/utxo-stub.ts';
import { watching } from '../support/watch-list.ts';

/** A chain of blocks of one transaction each, as a node without an index of transactions answers. */
function nodeWithoutIndex(options: {
  height: number;
  minedAt: number;
  raw: string;
  txid: string;
  unspent: (txid: string, vout: number) => string | null;
}): RpcNode {
  const { height, minedAt, raw, txid, unspent } = options;
  const coinbase = (at: number) =>
    unsignedTransaction(
      [{ txid: '00'.repeat(32), vout: 0xffffffff }],
      [{ script: Uint8Array.of(0x51, at & 255, at >> 8), units: 1n }],
    );
  const hashes: string[] = [];
  const blocks = new Map<
    string,
    { height: number; header: string; txs: string[]; txids: string[]; parent: string }
  >();
  let parent = '00'.repeat(32);
  for (let at = 0; at <= height; at++) {
    const reward = coinbase(at);
    const id = (hex: string) => doubleSha256(Buffer.from(hex, 'hex'));
    const ids = [id(reward), ...(at === minedAt ? [Buffer.from(txid, 'hex').reverse()] : [])];
    const root = ids.length === 1 ? ids[0]! : doubleSha256(...ids);
    const header = Buffer.alloc(80);
    header.writeUInt32LE(4, 0);
    header.set(Buffer.from(parent, 'hex').reverse(), 4);
    header.set(root, 36);
    header.writeUInt32LE(1_700_000_000 + at, 68);
    const hash = hashText(doubleSha256(header));
    const txs = at === minedAt ? [reward, raw] : [reward];
    blocks.set(hash, { height: at, header: header.toString('hex'), txs, txids: ids.map(hashText), parent });
    hashes.push(hash);
    parent = hash;
  }
  const tip = hashes.at(-1)!;
  const answer = (method: string, params: readonly unknown[]): unknown => {
    const [first, second] = params;
    switch (method) {
      case 'getblockcount':
        return height;
      case 'getbestblockhash':
        return tip;
      case 'getblockhash':
        return hashes[Number(first)];
      case 'getblockheader': {
        const block = blocks.get(String(first))!;
        return second === false ? block.header : { height: block.height };
      }
      case 'getblock': {
        const block = blocks.get(String(first))!;
        if (second === true) return { previousblockhash: block.parent, tx: block.txids };
        return `${block.header}0${block.txs.length}${block.txs.join('')}`;
      }
      case 'gettxout': {
        const value = unspent(String(first), Number(second));
        return value === null ? null : { bestblock: tip, confirmations: height - minedAt + 1, value };
      }
      default:
        throw new RpcError(-5, 'No such mempool transaction. Use -txindex');
    }
  };
  const outcomes: RpcNode['outcomes'] = async (calls) =>
    calls.map(({ method, params }) => ({ result: answer(method, params) }));
  return {
    label: 'node 1',
    call: async (method, ...params) => answer(method, params),
    outcomes,
    batch: outcomes,
  };
}

describe('a node without an index of transactions', () => {
  for (const below of [100, 200])
    test(`knows a payout that was mined ${below} blocks ago, when its first recipients have spent what they got`, async () => {
      const pricing = await stubSending('litecoin', [ofRate(2_000n)]);
      const order = orderOf(pricing, coinsOf(9_000_000n), ...Array.from({ length: 6 }, () => 500_000n));
      const { payload: raw } = await prepare(pricing, order, null);
      const { txid, outputs } = storedTransaction(pricing.network, raw);
      // The worker was away for some hours. The change, which is ours, is still there.
      const node = nodeWithoutIndex({
        ...{ height: 400, minedAt: 400 - below, raw, txid },
        unspent: (id, vout) => (id === txid && vout >= 4 && vout < outputs.length ? '0.005' : null),
      });
      const sending = await stubSending('litecoin', [rpcBackend({ network: pricing.network, node })]);
      const { wallet, sequence, inputs } = order;
      const transactions = [{ raw, txid, voids: false }];
      const outcome = await outcomeOf(sending, { wallet, sequence, inputs, order, transactions });
      expect(outcome).toMatchObject({ kind: 'mined', txid, final: true });
    });
});

const network = utxoNetwork('bitcoin', 'main');
const OP_RETURN = Uint8Array.of(0x6a, 4, 1, 2, 3, 4);
const OURS = payToWitness(0, new Uint8Array(20).fill(5));

/** An Esplora server with transactions that wait. Outputs that nobody can spend are in no index of it (electrs, is_spendable). */
function esploraWith(raws: readonly string[], asked: string[] = []): EsploraHttp {
  const waiting = new Map(
    raws.map((raw) => [decodeTransaction(network, Buffer.from(raw, 'hex')).txid(), raw] as const),
  );
  const listed = (scriptHash: string) =>
    [...waiting]
      .filter(([, raw]) =>
        decodeTransaction(network, Buffer.from(raw, 'hex')).outputs.some(
          ({ script }) => script[0] !== 0x6a && sha256Text(script) === scriptHash,
        ),
      )
      .map(([txid]) => ({ txid }))
      .slice(0, 50);
  const text = async (path: string): Promise<string | null> => {
    asked.push(path);
    const [kind, id = '', what] = path.split('/');
    if (kind === 'tx' && what === 'hex') return waiting.get(id) ?? null;
    if (kind === 'tx' && what === 'status') return '{"confirmed":false}';
    if (kind === 'scripthash') return JSON.stringify(listed(id));
    if (kind === 'address') return JSON.stringify(listed(sha256Text(OURS)));
    return null;
  };
  return {
    label: 'server 1',
    text,
    json: async (path) => JSON.parse((await text(path)) ?? 'null'),
    bytes: async () => null,
    post: async () => ({ text: '' }),
  };
}

describe('an Esplora server', () => {
  test('has a waiting payment whose first output is data (OP_RETURN): it is pending, and not dropped in every poll', async () => {
    const raw = unsignedTransaction(
      [{ txid: unknownTxid(), vout: 0 }],
      [
        { script: OP_RETURN, units: 0n },
        { script: OURS, units: 70_000n },
      ],
    );
    const backend = esploraBackend({ network, server: esploraWith([raw]) });
    const address = addressOf(network, OURS)!;
    const watch = watching([address], [address]);
    const [seen] = await waitingPayments({ network, asset: 'btc_bitcoin' }).read(backend, watch);
    expect(seen).toMatchObject({ to: address, units: 70_000n });
    // What the watcher asks in the same poll (follow-deposits.ts, resolveOrphans).
    expect(await backend.place(seen!.txid)).toEqual({ state: 'pending' });
  });

  test('is asked about a bounded number of things in a poll, however many payments a customer lets wait', async () => {
    const pay = () =>
      unsignedTransaction([{ txid: unknownTxid(), vout: 0 }], [{ script: OURS, units: 600n }]);
    const address = addressOf(network, OURS)!;
    const watch = watching([address], [address]);
    const waiting = waitingPayments({ network, asset: 'btc_bitcoin' });
    const asked: string[] = [];
    let raws = Array.from({ length: 50 }, pay);
    // Only the newest 50 are listed: others come before them in every poll.
    for (let poll = 0; poll < 10; poll += 1) {
      asked.length = 0;
      const backend: UtxoBackend = esploraBackend({ network, server: esploraWith(raws, asked) });
      await waiting.read(backend, watch);
      raws = [...Array.from({ length: 50 }, pay), ...raws];
    }
    expect(asked.length).toBeLessThan(300);
  });

  test('is not believed that somebody else spent our coins, when its own block does not have that transaction: payouts would fail and be made twice', async () => {
    const [coin, thief] = [unknownTxid(), unknownTxid()];
    const reward = unsignedTransaction(
      [{ txid: '00'.repeat(32), vout: 0xffffffff }],
      [{ script: Uint8Array.of(0x51), units: 1n }],
    );
    const header = Buffer.alloc(80);
    header.set(doubleSha256(Buffer.from(reward, 'hex')), 36);
    const block = Buffer.concat([header, Buffer.of(1), Buffer.from(reward, 'hex')]);
    const blockHash = hashText(doubleSha256(header));
    const confirmed = { confirmed: true, block_height: 700, block_hash: blockHash };
    const text = async (path: string): Promise<string | null> => {
      if (path === `tx/${coin}/outspend/0`)
        return JSON.stringify({ spent: true, txid: thief, status: confirmed });
      if (path.endsWith('/status')) return JSON.stringify(confirmed);
      if (path.startsWith('block-height/')) return blockHash;
      return null;
    };
    const server: EsploraHttp = {
      label: 'server 1',
      text,
      json: async (path) => JSON.parse((await text(path)) ?? 'null'),
      bytes: async (path) => (path === `block/${blockHash}/raw` ? block : null),
      post: async () => ({ text: '' }),
    };
    const told = esploraBackend({ network, server })
      .spender([{ txid: coin, vout: 0 }])
      .catch(() => null);
    expect(await told).toBeNull();
  });
});
