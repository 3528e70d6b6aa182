/**
 * Two nodes are configured, one lies (safety.md A3): no credit until they agree. The lie is not
 * about the block, but about what is in it, or how final it is.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { addressHex } from '../../../src/adapters/chains/tron/address.ts';
import { recordingLogger } from '../../support/evm/evm-lab.ts';
import { type MerchantJourney, merchantJourney } from '../../support/merchant-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { testClock } from '../../support/runtime/test-clock.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';
import { openTronLab, type TronLab } from '../../support/tron/lab.ts';
import type { TronTestNode } from '../../support/tron/server.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhooks/webhook-receiver.ts';

const SOLID_BEHIND = 3;
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

describe.skipIf(!needs('postgres', postgresAvailable()))('one of two Tron nodes lies', () => {
  let lab: TronLab;
  let liar: TronTestNode;
  let receiver: WebhookReceiver;
  let it: TestService;
  let journey: MerchantJourney;
  const clock = testClock();
  beforeAll(async () => {
    lab = await openTronLab({ solidBehind: SOLID_BEHIND, startMs: clock.now().getTime() });
    liar = lab.server.node;
    receiver = startWebhookReceiver();
    it = await startTestService({
      file: {
        chains: { tron: { rpc: [liar.url, lab.server.anotherNode().url], confirmations: 1 } },
        assets: { usdt_tron: { contract: lab.contracts.usdt } },
        rates: { source: 'static', usd: { usdt_tron: '1', trx_tron: '0.25' } },
      },
      overrides: { clock, logger: recordingLogger() },
    });
    await it.settle();
  });
  beforeEach(async () => {
    journey = await merchantJourney(it, receiver);
  });
  afterEach(() => liar.behave({}));
  afterAll(async () => {
    await it.stop();
    await receiver.stop();
    await lab.server.stop();
  });
  async function mine(count: number): Promise<void> {
    await lab.mine(count);
    const behind = lab.server.chain.tip().timeMs - clock.now().getTime();
    clock.advance(Math.max(0, behind / 1_000));
    await it.settle();
  }

  test('a payment that it invents within a block that both have is not credited', async () => {
    const invoice = await journey.create({ asset: 'usdt_tron', amount: 100 });
    const word = (hex: string): string => hex.slice(2).padStart(64, '0');
    liar.behave({
      answer: (path, _question, given) => {
        if (!path.endsWith('gettransactioninfobyblocknum')) return undefined;
        return (given as Record<string, unknown>[]).map((info) => ({
          ...info,
          log: [
            {
              address: addressHex(lab.contracts.usdt)!.slice(2),
              topics: [TRANSFER, word(lab.customer.hex), word(addressHex(invoice.address_to)!)],
              data: 100_000_000n.toString(16).padStart(64, '0'),
            },
          ],
        }));
      },
    });
    // A stranger's transaction: any will do.
    await lab.payTrx(lab.freshAddress(), 5n);
    await mine(1);
    await mine(SOLID_BEHIND + 2);
    expect(await lab.balanceOf(invoice.address_to, lab.contracts.usdt)).toBe(0n);
    expect((await journey.balance()).available).toBe(0);
  });

  test('a block that it calls solidified too early credits nothing before the other calls it so', async () => {
    const invoice = await journey.create({ asset: 'usdt_tron', amount: 100 });
    liar.behave({
      answer: async (path) => {
        if (path !== '/walletsolidity/getblock') return undefined;
        const answer = await fetch(`${liar.url}/wallet/getblock`, {
          method: 'POST',
          body: JSON.stringify({ detail: false }),
        });
        return answer.json();
      },
    });
    await lab.payToken('usdt', invoice.address_to, 100_000_000n);
    await mine(1);
    const { status } = await journey.read(invoice.order_id);
    // The block is the newest one, and may be forked away any moment.
    expect(status).toBe('confirming');
  });
});
