/**
 * An Esplora server's word on what waits and who spent a coin: how much of it is asked for in a
 * poll, and how much is believed.
 */

import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import type { UtxoBackend } from '../../../../../src/adapters/chains/utxo/backend.ts';
import { addressOf, payToWitness } from '../../../../../src/adapters/chains/utxo/codec/address.ts';
import { doubleSha256, hashText } from '../../../../../src/adapters/chains/utxo/codec/hashes.ts';
import { decodeTransaction } from '../../../../../src/adapters/chains/utxo/codec/transaction.ts';
import { esploraBackend } from '../../../../../src/adapters/chains/utxo/esplora/backend.ts';
import type { EsploraHttp } from '../../../../../src/adapters/chains/utxo/esplora/http.ts';
import { utxoNetwork } from '../../../../../src/adapters/chains/utxo/network.ts';
import { waitingPayments } from '../../../../../src/adapters/chains/utxo/read/waiting-payments.ts';
import { watching } from '../../../../support/chains/watch-list.ts';
import { unsignedTransaction } from '../../../../support/nodes/raw-transaction.ts';
import { unknownTxid } from '../../../../support/nodes/regtest.ts';

const network = utxoNetwork('bitcoin', 'main');
const OP_RETURN = Uint8Array.of(0x6a, 4, 1, 2, 3, 4);
const OURS = payToWitness(0, new Uint8Array(20).fill(5));

const hashOf = (script: Uint8Array): string => createHash('sha256').update(script).digest('hex');

/**
 * An Esplora server with transactions that wait. Outputs that nobody can spend are in no index of
 * it (electrs, is_spendable).
 */
function esploraWith(raws: readonly string[], asked: string[] = []): EsploraHttp {
  const waiting = new Map(
    raws.map((raw) => [decodeTransaction(network, Buffer.from(raw, 'hex')).txid(), raw] as const),
  );
  const read = (raw: string) => decodeTransaction(network, Buffer.from(raw, 'hex'));
  const listed = (scriptHash: string) =>
    [...waiting]
      .filter(([, raw]) =>
        read(raw).outputs.some(({ script }) => script[0] !== 0x6a && hashOf(script) === scriptHash),
      )
      .map(([txid]) => ({ txid }))
      .slice(0, 50);
  const text = async (path: string): Promise<string | null> => {
    asked.push(path);
    const [kind, id = '', what, vout] = path.split('/');
    if (kind === 'tx' && what === 'hex') return waiting.get(id) ?? null;
    if (kind === 'tx' && what === 'status') return '{"confirmed":false}';
    if (kind === 'tx' && what === 'outspend') {
      const spends = (raw: string) =>
        read(raw)
          .inputs()
          .some((input) => input.txid === id && input.vout === Number(vout));
      const [txid] = [...waiting].find(([, raw]) => spends(raw)) ?? [];
      return JSON.stringify(
        txid === undefined ? { spent: false } : { spent: true, txid, status: { confirmed: false } },
      );
    }
    if (kind === 'scripthash') return JSON.stringify(listed(id));
    if (kind === 'address') return JSON.stringify(listed(hashOf(OURS)));
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
  test('R10: is asked again for a block that one of its machines told of and another lacks', async () => {
    const header = '00'.repeat(80);
    const hash = hashText(doubleSha256(Buffer.from(header, 'hex')));
    let lacking = 2;
    const about: Readonly<Record<string, string>> = {
      'blocks/tip/hash': hash,
      [`block/${hash}/status`]: '{"in_best_chain":true,"height":7}',
      [`block/${hash}/header`]: header,
    };
    const text = async (path: string) => {
      if (path.startsWith('block/') && lacking-- > 0) return null;
      return about[path] ?? null;
    };
    const json = async (path: string) => JSON.parse((await text(path)) ?? 'null');
    const time = { after: (_: number, work: () => void) => work() };
    const { tip } = esploraBackend({ network, server: { ...esploraWith([]), text, json }, lag: { time } });
    expect(await tip()).toMatchObject({ height: 7, hash });
  });

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
    const waiting = waitingPayments({ network, asset: 'btc_bitcoin' });
    const [seen] = (await waiting.read(backend, watch)) ?? [];
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
