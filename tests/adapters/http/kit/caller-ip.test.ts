import { describe, expect, test } from 'bun:test';
import { CallerIp, isAllowed, networkOf } from '../../../../src/adapters/http/kit/caller-ip.ts';

const PROXIES = ['10.0.0.0/8', '2001:db8:1::/48', '192.0.2.1'];

describe('the caller behind proxies', () => {
  const callerIp = new CallerIp(PROXIES);
  const cases: readonly [
    what: string,
    socket: string | null,
    forwarded: string | null,
    expected: string | null,
  ][] = [
    ['no socket', null, null, null],
    ['a direct caller', '203.0.113.7', null, '203.0.113.7'],
    ['an IPv4 address in IPv6 form', '::ffff:127.0.0.1', null, '127.0.0.1'],
    ['a direct caller who claims to be somebody else', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['one proxy', '10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['a proxy in IPv6 form', '::ffff:10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['two proxies', '10.1.2.3', '198.51.100.1, 10.9.9.9', '198.51.100.1'],
    ['a forged first hop', '10.1.2.3', '127.0.0.1, 198.51.100.1', '198.51.100.1'],
    ['a forged hop between', '10.1.2.3', '127.0.0.1,198.51.100.1,10.0.0.1', '198.51.100.1'],
    ['only proxies', '10.1.2.3', '10.0.0.5, 10.0.0.6', '10.0.0.5'],
    ['a proxy without the header', '10.1.2.3', null, '10.1.2.3'],
    ['an IPv6 proxy and caller', '2001:db8:1::5', '2001:db8:ffff::1', '2001:db8:ffff::1'],
    ['a single trusted address', '192.0.2.1', '198.51.100.9', '198.51.100.9'],
    ['its neighbour is not trusted', '192.0.2.2', '198.51.100.9', '192.0.2.2'],
    ['an empty header', '10.1.2.3', '', null],
    ['an empty hop', '10.1.2.3', '198.51.100.1,,', null],
    ['a name', '10.1.2.3', 'localhost', null],
    ['a hop with a port', '10.1.2.3', '198.51.100.1:80', null],
    ['short and hexadecimal forms', '10.1.2.3', '127.1', null],
    ['hexadecimal', '10.1.2.3', '0x7f.0.0.1', null],
    ['leading zeros', '10.1.2.3', '010.0.0.1', null],
    ['a zone', '10.1.2.3', 'fe80::1%eth0', null],
    ['garbage beyond the untrusted hop', '10.1.2.3', 'garbage, 198.51.100.1', '198.51.100.1'],
    ['a number too large', '10.1.2.3', '256.1.1.1', null],
  ];
  for (const [what, socket, forwarded, expected] of cases) {
    test(`${what}: ${socket} and ${forwarded} are ${expected}`, () => {
      expect(callerIp.resolve(socket, forwarded)).toBe(expected);
    });
  }

  test('a proxy range that cannot be read stops the start', () => {
    expect(() => new CallerIp(['10.0.0.0/33'])).toThrow('not an address or CIDR: 10.0.0.0/33');
    expect(() => new CallerIp(['proxy.example'])).toThrow();
  });
});

describe('the allowed subnets', () => {
  const cases: readonly [ip: string | null, subnets: readonly string[], allowed: boolean][] = [
    ['203.0.113.7', [], false],
    [null, ['0.0.0.0/0'], false],
    ['203.0.113.7', ['203.0.113.0/24'], true],
    ['203.0.113.7', ['203.0.113.7'], true],
    ['203.0.113.7', ['203.0.113.8'], false],
    ['203.0.113.7', ['198.51.100.0/24', '0.0.0.0/0'], true],
    ['203.0.113.7', ['::/0'], false],
    ['2001:db8::1', ['2001:db8::/32'], true],
    ['2001:db9::1', ['2001:db8::/32'], false],
    ['203.0.113.7', ['::ffff:203.0.113.0/120'], true],
    ['203.0.113.7', ['not a range', '203.0.113.7/99', '203.0.113.0/'], false],
  ];
  for (const [ip, subnets, allowed] of cases) {
    test(`${ip} is ${allowed ? 'in' : 'outside'} [${subnets.join(', ')}]`, () => {
      expect(isAllowed(ip, subnets)).toBe(allowed);
    });
  }
});

test('one IPv6 network counts as one caller, and so do all that have no address', () => {
  expect(networkOf('2001:db8::1')).toBe(networkOf('2001:db8::ffff:1'));
  expect(networkOf('2001:db8::1')).not.toBe(networkOf('2001:db8:0:1::1'));
  expect(networkOf('2001:db8::1')).toBe('2001:db8:0:0::/64');
  expect(networkOf('203.0.113.7')).toBe('203.0.113.7');
  expect(networkOf(null)).toBe('unknown');
});
