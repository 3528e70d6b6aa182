import { describe, expect, test } from 'bun:test';
import { classifyAddress } from '../../../src/adapters/webhooks/address-policy.ts';

describe('a public address', () => {
  test.each([
    '1.1.1.1',
    '93.184.215.14',
    '100.63.255.255',
    '100.128.0.1',
    '172.15.255.255',
    '172.32.0.1',
    '223.255.255.254',
    '2606:4700:4700::1111',
    '2a00:1450:4001:800::200e',
  ])('is %s', (address) => {
    expect(classifyAddress(address)).toEqual({ kind: 'public' });
  });
});

describe('an address that a deployer may allow', () => {
  test.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['::1', 'loopback'],
    ['fc00::1', 'private'],
    ['fd12:3456::1', 'private'],
  ])('is %s, %s', (address, word) => {
    expect(classifyAddress(address)).toEqual({ kind: 'local', description: expect.stringContaining(word) });
  });
});

describe('an address that is always refused', () => {
  test.each([
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'unspecified'],
    ['100.64.0.1', 'carrier-grade NAT'],
    ['100.127.255.255', 'carrier-grade NAT'],
    ['169.254.169.254', 'link-local'],
    ['168.63.129.16', 'reserved'],
    ['192.0.0.1', 'reserved'],
    ['192.0.2.1', 'reserved'],
    ['192.88.99.1', 'reserved'],
    ['198.18.0.1', 'reserved'],
    ['198.51.100.1', 'reserved'],
    ['203.0.113.1', 'reserved'],
    ['224.0.0.1', 'multicast'],
    ['239.255.255.255', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'broadcast'],
    ['::', 'unspecified'],
    ['fe80::1', 'link-local'],
    ['fec0::1', 'reserved'],
    ['ff02::1', 'multicast'],
    ['::ffff:8.8.8.8', 'IPv4-mapped'],
    ['::ffff:127.0.0.1', 'IPv4-mapped'],
    ['::ffff:7f00:1', 'IPv4-mapped'],
    ['::7f00:1', 'reserved'],
    ['::127.0.0.1', 'IPv4-mapped'],
    ['64:ff9b::808:808', 'NAT64'],
    ['64:ff9b:1::7f00:1', 'NAT64'],
    ['2002:7f00:1::1', '6to4'],
    ['2001::1', 'Teredo'],
    ['2001:db8::1', 'reserved'],
    ['100::1', 'reserved'],
    ['1::1', 'reserved'],
    ['4000::1', 'reserved'],
    ['5f00::1', 'reserved'],
  ])('is %s, %s', (address, word) => {
    expect(classifyAddress(address)).toEqual({
      kind: 'forbidden',
      description: expect.stringContaining(word),
    });
  });

  test.each([
    '0x7f.1',
    '127.1',
    '2130706433',
    '0177.0.0.1',
    '127.0.0.1:80',
    '127.0.0.1 ',
    'fe80::1%eth0',
    '2606:4700::1%eth0',
    '[::1]',
    'merchant.example',
    '',
  ])('is what is not the plain text of an address: %p', (address) => {
    expect(classifyAddress(address)).toEqual({ kind: 'forbidden', description: 'not a usable address' });
  });
});
