/**
 * Explorers of the checkout: which templates are taken, which chains have one by themselves, and
 * what a link becomes.
 */
import { describe, expect, test } from 'bun:test';
import { explorers } from '../../../src/compose/chains/configured-explorers.ts';
import { CHAINS } from '../../../src/domain/catalog/chain.ts';
import { isWebLink } from '../../../src/domain/web-link.ts';
import { faults, loaded } from '../../support/configurations.ts';

const explorer = (template: unknown) => ({ checkout: { explorers: { bitcoin: template } } });
const of = (file: object, env: Record<string, string> = {}) => explorers(loaded(env, file));

describe('a template', () => {
  test.each([
    'https://explorer.example/tx/{txid}',
    'https://explorer.example/?tx={txid}&lang=en',
    'https://explorer.example/#/transaction/{txid}',
    'http://localhost:8080/tx/{txid}',
    'http://127.0.0.1/tx/{txid}',
    'http://[::1]:3000/{txid}',
    null,
  ])('%p is taken', (template) => {
    expect(loaded({}, explorer(template)).checkout.explorers).toEqual({ bitcoin: template });
  });

  test.each([
    'http://explorer.example/tx/{txid}',
    'https://explorer.example/tx/',
    'https://explorer.example/{txid}/{txid}',
    'https://{txid}.example/',
    'https://explorer.example{txid}',
    'https://{txid}',
    'https://user:password@explorer.example/{txid}',
    'https://explorer.example\\{txid}',
    'https://explorer.example/ {txid}',
    'javascript:alert(1)//{txid}',
    '//explorer.example/{txid}',
    '',
    7,
  ])('%p is refused with its place and what it must be', (template) => {
    expect(faults({}, explorer(template))).toEqual({
      'checkout.explorers.bitcoin':
        'must be an https URL with {txid} once in its path, query or fragment, or null',
    });
  });

  test('chains outside the catalog have none', () => {
    const found = faults({}, { checkout: { explorers: { dogecoin: null }, colour: 'red' } });
    expect(Object.keys(found).sort()).toEqual(['checkout.colour', 'checkout.explorers.dogecoin']);
  });
});

describe('a link', () => {
  test('every chain of the catalog has one of its main network, https and with the transaction in it', () => {
    for (const { name } of CHAINS) {
      const link = of({})(name, 'abc123') ?? '';
      expect([name, link.startsWith('https://'), isWebLink(link), link.endsWith('abc123')]).toEqual([
        ...[name, true, true, true],
      ]);
    }
    expect(of({})('atlantis', 'abc')).toBeNull();
  });

  test('what is configured goes first, and null switches a link off', () => {
    const given = of({
      checkout: { explorers: { bitcoin: 'https://explorer.example/{txid}?a', ethereum: null } },
    });
    expect(given('bitcoin', 'ff')).toBe('https://explorer.example/ff?a');
    expect(given('ethereum', '0xff')).toBeNull();
    expect(given('tron', 'ff')).toBe('https://tronscan.org/#/transaction/ff');
  });

  test('a chain of a test network has only what is configured', () => {
    const chains = {
      bitcoin: { rpc: ['http://node'], network: 'regtest' },
      ethereum: { rpc: ['http://node'], chain_id: 31337 },
      tron: { rpc: ['http://node'], network: 'test' },
    };
    for (const name of Object.keys(chains)) expect(of({ chains })(name, 'ff')).toBeNull();
    expect(of({ chains, ...explorer('http://localhost/{txid}') })('bitcoin', 'ff')).toBe(
      'http://localhost/ff',
    );
    const main = {
      bitcoin: { rpc: ['http://node'], network: 'main' },
      ethereum: { rpc: ['http://node'], chain_id: 1 },
    };
    for (const name of Object.keys(main)) expect(of({ chains: main })(name, 'ff')).toContain('ff');
    expect(of({}, { CHAINS: 'fake' })('bitcoin', 'ff')).toBeNull();
  });

  test('a transaction id is only ever an id, whatever is in it', () => {
    const given = of(explorer('https://explorer.example/tx/{txid}'));
    expect(given('bitcoin', '../../?a=b&c#d/$&\'"<>{txid}')).toBe(
      `https://explorer.example/tx/${encodeURIComponent('../../?a=b&c#d/$&\'"<>{txid}')}`,
    );
  });
});
