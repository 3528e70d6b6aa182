/** How deep a block has to be before a node's word that it is final is believed. */
import { expect, test } from 'bun:test';
import { leastConfirmations } from '../../../src/adapters/chains/shared/client-parts.ts';
import type { ChainConfig } from '../../../src/config/types.ts';
import { chainNamed } from '../../../src/domain/catalog/chain.ts';

test('S7, T4: on the main network as deep as the protocol has it, elsewhere and by configuration as an operator says', () => {
  const least = (chain: string, settings: Partial<ChainConfig> = {}) =>
    leastConfirmations({
      chain: chainNamed(chain),
      settings: { confirmations: null, network: null, ...settings } as ChainConfig,
    });
  expect([least('tron'), least('solana')]).toEqual([19, 32]);
  expect([least('tron', { network: 'test' }), least('solana', { network: 'test' })]).toEqual([1, 1]);
  expect([least('tron', { confirmations: 1 }), least('solana', { confirmations: 40 })]).toEqual([1, 40]);
});
