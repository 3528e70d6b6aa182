import { describe, expect, test } from 'bun:test';
import { allowedHosts } from '../../../src/adapters/webhooks/allowed-hosts.ts';
import { readTarget } from '../../../src/adapters/webhooks/webhook-target.ts';

function allows(entry: string, url: string): boolean {
  const target = readTarget(url);
  if ('refusal' in target) throw new Error(target.refusal);
  return allowedHosts([entry]).includes(target);
}

describe('an allowed host', () => {
  test.each([
    ['localhost', 'http://localhost:3000/', true],
    ['LocalHost', 'http://LOCALHOST./', true],
    ['localhost:3000', 'http://localhost:3000/', true],
    ['localhost:3000', 'http://localhost:3001/', false],
    ['localhost:80', 'http://localhost/', true],
    ['localhost:80', 'https://localhost/', false],
    ['localhost:443', 'https://localhost/', true],
    ['localhost', 'http://evil.localhost/', false],
    ['localhost', 'http://localhost.evil.example/', false],
    ['127.0.0.1', 'http://127.1:9000/', true],
    ['127.0.0.1', 'http://127.0.0.2/', false],
    ['::1', 'http://[::1]:9000/', true],
    ['[::1]', 'http://[0:0::1]/', true],
    ['[::1]:9000', 'http://[::1]:9000/', true],
    ['[::1]:9000', 'http://[::1]:9001/', false],
  ])('%s for %s: %p', (entry, url, expected) => {
    expect(allows(entry, url)).toBe(expected);
  });

  test.each([
    '',
    'http://localhost',
    'localhost/path',
    'user@localhost',
    'a b',
    'localhost:99999',
    'localhost:x',
    '[::1',
    '::1:::',
  ])('%p is a fault of the settings', (entry) => {
    expect(() => allowedHosts([entry])).toThrow('not a host name');
  });

  test('is never a pattern', () => {
    expect(allows('*', 'http://a.example/')).toBe(false);
    expect(allows('*.example', 'http://a.example/')).toBe(false);
  });
});
