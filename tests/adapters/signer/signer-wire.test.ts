/** What goes over the signer's socket: orders as they are, and which payment is to blame. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { signerServer } from '../../../src/adapters/signer/signer-server.ts';
import {
  answerLine,
  coldLine,
  LINE_BYTES_MAX,
  orderLine,
  readAnswer,
  readCold,
  readDerive,
  readOrder,
  type SignerAnswer,
} from '../../../src/adapters/signer/signer-wire.ts';
import { socketSigner } from '../../../src/adapters/signer/socket-signer.ts';
import { SigningRefused } from '../../../src/ports/sending/signer.ts';
import { coinOrder, input, payment } from '../../support/chains/utxo-signing.ts';
import { silentLogger } from '../../support/runtime/silent-logger.ts';
import { temporaryDirectory } from '../../support/runtime/temp-directory.ts';

describe('the wire', () => {
  test('carries hundreds of payments and inputs as they are', () => {
    const order = coinOrder({
      payments: Array.from({ length: 400 }, (_, place) => payment({ units: 2n ** 64n + BigInt(place) })),
      inputs: Array.from({ length: 500 }, (_, vout) => input({ vout, key: { role: 'change', index: vout } })),
      payload: 'ab'.repeat(100_000),
    });
    const line = orderLine(order);
    expect(line.length).toBeLessThan(LINE_BYTES_MAX);
    expect(readOrder(line.trimEnd())).toEqual(order);
  });

  test('carries until when an order is valid, what it replaces, who pays its fee and whose its recipients are', () => {
    const order = coinOrder({
      ...{ validUntil: 2n ** 63n, replaces: 'ab'.repeat(32), feePayer: 'hot', delegates: 'energy' },
      payments: [payment({ toKey: { role: 'deposit', index: 7 } })],
    });
    expect(readOrder(orderLine(order).trimEnd())).toEqual(order);
  });

  test.each([
    { kind: 'signed', raw: 'ab', txid: 'cd' },
    { kind: 'signed', raw: 'ab', txid: 'cd', again: { validUntil: 2n ** 63n, maxFeeUnits: 2n ** 70n } },
    { kind: 'derived', addresses: ['one', 'two'] },
    { kind: 'cold', address: 'r...:7' },
    { kind: 'cold', address: null },
    {
      ...{ kind: 'refused', reason: 'no', lasting: false, transferId: 'a' },
      ...{ unusedFrom: 2n ** 60n, because: 'fee' },
    },
    {
      ...{ kind: 'refused', reason: 'no', lasting: true, transferId: null },
      ...{ unusedFrom: null, because: null },
    },
    { kind: 'unavailable', reason: 'away' },
  ] as const satisfies readonly SignerAnswer[])('carries the answer $kind as it is', (answer) => {
    expect(readAnswer(answerLine(answer).trimEnd())).toEqual(answer);
  });

  test.each([
    ['no payment', { payments: [] }],
    ['a negative amount', { payments: [payment({ units: -1n })] }],
    ['an output that there cannot be', { inputs: [input({ vout: 2 ** 32 })] }],
    ['a key that there cannot be', { inputs: [input({ key: { role: 'change', index: -1 } })] }],
  ])('has no order with %s', (_, change) => {
    expect(readOrder(orderLine(coinOrder(change)))).toBeNull();
  });

  test('G11: carries the question for a cold address, which is no order, and no order is one', () => {
    const asked = { chain: 'tron', asset: 'usdt_tron' };
    const line = coldLine(asked).trimEnd();
    expect(readCold(line)).toEqual(asked);
    expect([readOrder(line), readDerive(line)]).toEqual([null, null]);
    expect(readCold(orderLine(coinOrder()).trimEnd())).toBeNull();
    expect(readCold(JSON.stringify({ cold: { ...asked, address: 'mine' } }))).toBeNull();
  });

  test('tells which payment is to blame, or that none is', async () => {
    const folder = await temporaryDirectory();
    const path = join(folder.path, 'signer.sock');
    const [blamed, nobody] = [coinOrder(), coinOrder()];
    const { transferId } = blamed.payments[1]!;
    const server = signerServer({
      path,
      logger: silentLogger,
      signer: {
        sign: async (order) => {
          const named = order.nonce === blamed.nonce;
          throw new SigningRefused('no', { lasting: !named, transferId: named ? transferId : null });
        },
        addresses: async () => [],
        coldAddress: async () => null,
        close: async () => {},
      },
    });
    await server.listen();
    const client = socketSigner({ path });
    try {
      await expect(client.sign(blamed)).rejects.toMatchObject({ transferId, lasting: false });
      await expect(client.sign(nobody)).rejects.toMatchObject({ transferId: null, lasting: true });
    } finally {
      await client.close();
      await server.close();
      await folder.remove();
    }
  });
});
