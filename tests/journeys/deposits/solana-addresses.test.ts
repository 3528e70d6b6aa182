/**
 * Solana addresses while nobody has derived any, and when the signer is away: invoices are refused
 * for a while, and nothing is used up.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { DERIVED_AHEAD, fillAddressPool } from '../../../src/app/invoices/addresses/fill-address-pools.ts';
import { type Signer, SignerUnavailable } from '../../../src/ports/sending/signer.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { openSolanaLab, type SolanaLab } from '../../support/solana/lab.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('addresses that nobody derived yet', () => {
  let lab: SolanaLab;
  let it: TestService;
  let key: string;
  beforeAll(async () => {
    lab = openSolanaLab();
    it = await startTestService({
      file: {
        chains: { solana: { rpc: [lab.node.url], network: 'test' } },
        assets: {
          usdc_solana: { contract: lab.mints.usdc.mint },
          usdt_solana: { contract: lab.mints.usdt.mint },
        },
      },
    });
    key = (await it.merchant()).live;
    await it.service.refreshRates();
  });
  afterAll(async () => {
    await it.stop();
    await lab.stop();
  });

  const create = () =>
    it.call(key, 'POST', '/api/v2/invoices', { amount: 25, fiat_currency: 'USD', asset: 'sol_solana' });
  const indexes = () =>
    it.service.dependencies.unitOfWork.run(async ({ addresses }) => ({
      reserved: await addresses.reservedIndexes('solana'),
      derived: await addresses.derivedIndexes('solana'),
    }));
  const job = () => it.service.jobs.find(({ name }) => name === 'derive:solana')!;

  test('are a 503 that says so, and the same ones are asked for again', async () => {
    for (let asked = 0; asked < 5; asked++) {
      const { status, body, headers } = await create();
      expect({ status, code: body.error.code }).toEqual({ status: 503, code: 'UNAVAILABLE' });
      expect(body.error.message).toContain('deposit addresses of this network are not ready yet');
      expect(headers.get('retry-after')).toBe('5');
    }
    expect(await indexes()).toEqual({ reserved: 256, derived: 0 });
  });

  test('stay away while the signer does, without a fault', async () => {
    const { dependencies } = it.service;
    const addresses: Signer['addresses'] = async () => {
      throw new SignerUnavailable('the signer cannot be reached');
    };
    const away = { addresses } as Signer;
    await expect(fillAddressPool(dependencies, { family: 'solana', signer: away })()).rejects.toBeInstanceOf(
      SignerUnavailable,
    );
    expect((await indexes()).derived).toBe(0);
  });

  test('are there when workers have derived them, two at once, and the first invoice gets the first one', async () => {
    await Promise.all([job().run(), job().run()]);
    expect(await indexes()).toEqual({ reserved: 256, derived: 256 + DERIVED_AHEAD });
    const { status, body } = await create();
    expect(status).toBe(201);
    const { unitOfWork } = it.service.dependencies;
    const [issued] = await unitOfWork.run(({ addresses }) =>
      addresses.find('solana', [body.result.address_to]),
    );
    expect(issued?.derivationIndex).toBe(0);
  });
});
