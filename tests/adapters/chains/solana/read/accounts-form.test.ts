/**
 * Blocks of Solana are read with what their transactions did to accounts and nothing else. That
 * says the same payments as all of it, and fewer bytes.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { movementsIn } from '../../../../../src/adapters/chains/solana/read/movements.ts';
import { solanaScanner } from '../../../../../src/adapters/chains/solana/read/scanner.ts';
import { watching } from '../../../../support/chains/watch-list.ts';
import { silentLogger } from '../../../../support/runtime/silent-logger.ts';
import { accountsForm } from '../../../../support/solana/accounts-form.ts';
import { openSolanaLab, type SolanaLab } from '../../../../support/solana/lab.ts';
import type { Json } from '../../../../support/test-service.ts';
import claim from '../recorded-blocks/associated-account-of-2026.json';
import coin from '../recorded-blocks/coin-of-2020.json';
import failed from '../recorded-blocks/failed-of-2022.json';
import usdc from '../recorded-blocks/lookups-and-usdc-of-2025.json';
import bonk from '../recorded-blocks/nonce-and-tokens-of-2023.json';

const PAYMENTS = 60;

test('a transaction with its accounts alone moves what it moves in full', () => {
  for (const recorded of [coin, failed, bonk, usdc, claim] as Json[])
    expect(movementsIn(accountsForm(recorded as Parameters<typeof accountsForm>[0]))).toEqual(
      movementsIn(recorded),
    );
});

describe('a block of payments', () => {
  let lab: SolanaLab;
  let paid: string[];
  beforeAll(() => {
    lab = openSolanaLab();
    paid = Array.from({ length: PAYMENTS }, () => lab.freshAddress());
    const kinds = [lab.mints.usdc, lab.mints.feeful, lab.mints.foreign, null];
    for (const [index, to] of paid.entries()) {
      const token = kinds[index % kinds.length] ?? null;
      const units = 1_000_000n + BigInt(index);
      if (token === null) lab.payCoins({ to, units });
      else lab.payTokens({ to, units, token });
    }
    lab.ledger.mine();
  });
  afterAll(() => lab.stop());

  async function block(transactionDetails: 'full' | 'accounts'): Promise<{ text: string; all: Json[] }> {
    const { slot } = lab.ledger.tip('confirmed');
    const options = { transactionDetails, commitment: 'confirmed', encoding: 'json', rewards: false };
    const params = [slot, { ...options, maxSupportedTransactionVersion: 1 }];
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getBlock', params });
    const text = await (await lab.node.answer(lab.node.url, { body })).text();
    return { text, all: JSON.parse(text).result.transactions };
  }

  test('moves the same in both forms', async () => {
    const [full, accounts] = [await block('full'), await block('accounts')];
    expect(accounts.all).toHaveLength(PAYMENTS);
    expect(accounts.all.map(movementsIn)).toEqual(full.all.map(movementsIn));
  });

  test('comes compressed, in a fifth of the bytes that it has in full', async () => {
    let sent = 0;
    const proxy = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      async fetch(request) {
        const answer = await lab.node.answer(request.url, { body: await request.text() });
        const bytes = await answer.bytes();
        if (!request.headers.get('accept-encoding')?.includes('gzip')) return new Response(bytes);
        const packed = Bun.gzipSync(bytes);
        sent += packed.byteLength;
        return new Response(packed, { headers: { 'content-encoding': 'gzip' } });
      },
    });
    const scanner = solanaScanner({
      ...{ chain: 'solana', network: 'test', rpc: [`http://127.0.0.1:${proxy.port}`] },
      ...{ nativeAsset: 'sol_solana', logger: silentLogger },
      tokens: [{ asset: 'usdc_solana', contract: lab.mints.usdc.mint, decimals: 6 }],
    });
    const { height } = (await scanner.head()).tip;
    await scanner.blocks({ from: height - 1, to: height - 1 }, watching(paid));
    sent = 0;
    const [read] = await scanner.blocks({ from: height, to: height }, watching(paid));
    expect(read?.transfers).toHaveLength(PAYMENTS / 2);
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThan(Buffer.byteLength((await block('full')).text) / 5);
    await scanner.close();
    await proxy.stop(true);
  });
});
