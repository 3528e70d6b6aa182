/**
 * Address text of Bitcoin, Litecoin and Bitcoin Cash: the published vectors, valid and invalid, and
 * every wrong network.
 */
import { describe, expect, test } from 'bun:test';
import {
  addressOf,
  normalizeUtxoAddress,
  scriptOf,
} from '../../../../../src/adapters/chains/utxo/codec/address.ts';
import { type UtxoNetwork, utxoNetwork } from '../../../../../src/adapters/chains/utxo/network.ts';
import { NETWORKS, UTXO_FAMILIES } from '../../../../../src/domain/catalog/family.ts';

const bitcoin = utxoNetwork('bitcoin', 'main');
const testBitcoin = utxoNetwork('bitcoin', 'test');
const litecoin = utxoNetwork('litecoin', 'main');
const cash = utxoNetwork('bitcoincash', 'main');
const named = { bitcoin, test: testBitcoin, litecoin };

const bytes = (hex: string): Uint8Array => Buffer.from(hex, 'hex');
const scriptHex = (network: UtxoNetwork, text: string): string | null => {
  const script = scriptOf(network, text);
  return script && Buffer.from(script).toString('hex');
};
const everyNetwork = UTXO_FAMILIES.flatMap((family) => NETWORKS.map((name) => utxoNetwork(family, name)));

describe('segwit (BIP-173 and BIP-350)', () => {
  test.each([
    ['bitcoin', 'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', '0014751e76e8199196d454941c45d1b3a323f1433bd6'],
    [
      'test',
      'tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7',
      '00201863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262',
    ],
    [
      'bitcoin',
      'bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y',
      '5128751e76e8199196d454941c45d1b3a323f1433bd6751e76e8199196d454941c45d1b3a323f1433bd6',
    ],
    ['bitcoin', 'BC1SW50QGDZ25J', '6002751e'],
    ['bitcoin', 'bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs', '5210751e76e8199196d454941c45d1b3a323'],
    [
      'test',
      'tb1qqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesrxh6hy',
      '0020000000c4a5cad46221b2a187905e5266362b99d5e91c6ce24d165dab93e86433',
    ],
    [
      'test',
      'tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c',
      '5120000000c4a5cad46221b2a187905e5266362b99d5e91c6ce24d165dab93e86433',
    ],
    [
      'bitcoin',
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
      '512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
    ],
  ] as const)('%s: %p has its published script, and is written in lower case', (name, text, script) => {
    const network = named[name];
    expect(scriptHex(network, text)).toBe(script);
    expect(addressOf(network, bytes(script))).toBe(text.toLowerCase());
  });

  test.each([
    ['another prefix', 'tc1qw508d6qejxtdg4y5r3zarvary0c5xw7kg3g4ty'],
    ['a wrong checksum', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5'],
    ['version 17', 'BC13W508D6QEJXTDG4Y5R3ZARVARY0C5XW7KN40WF2'],
    ['a program of one byte', 'bc1rw5uspcuh'],
    ['a program of 41 bytes', 'bc10w508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kw5rljs90'],
    ['a version 0 program of 16 bytes', 'BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P'],
    ['mixed case', 'tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sL5k7'],
    ['padding of more than four bits', 'bc1zw508d6qejxtdg4y5r3zarvaryvqyzf3du'],
    ['padding that is not zero', 'tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3pjxtptv'],
    ['nothing', 'bc1gmk9yu'],
    ['version 1 with bech32', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd'],
    ['version 2 with bech32', 'tb1z0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqglt7rf'],
    ['version 16 with bech32', 'BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL'],
    ['version 0 with bech32m', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh'],
    ['version 0 with bech32m', 'tb1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq24jc47'],
    ['a letter that is none', 'bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4'],
    ['version 17, bech32m', 'BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R'],
    ['a program of one byte, bech32m', 'bc1pw5dgrnzv'],
    ['41 bytes, bech32m', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav'],
    ['mixed case, bech32m', 'tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq47Zagq'],
    ['much padding, bech32m', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf'],
    ['padding not zero, bech32m', 'tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vpggkg4j'],
  ])('%s is no address of any network', (_, text) => {
    for (const network of everyNetwork) expect(scriptOf(network, text)).toBeNull();
  });
});

describe('base58 addresses', () => {
  test.each([
    ['bitcoin', '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu', '76a91476a04053bda0a88bda5177b86a15c3b29f55987388ac'],
    ['bitcoin', '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', 'a914b472a266d0bd89c13706a4132ccfb16f7c3b9fcb87'],
    ['litecoin', 'MVcg9uEvtWuP5N6V48EHfEtbz48qR8TKZ9', 'a914ee34ac676bdaf6e370c8c820b948edfad3a873d887'],
  ] as const)('%s: %p has its published script, and is written the same', (name, text, script) => {
    const network = named[name];
    expect(scriptHex(network, text)).toBe(script);
    expect(addressOf(network, bytes(script))).toBe(text);
  });

  test('Litecoin reads the P2SH form that it shared with Bitcoin, and writes its own', () => {
    expect(normalizeUtxoAddress(litecoin, '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy')).toBe(
      'MQMHBtvnBfxTzt3K2bdxgSE7qZPHSXWsGM',
    );
    const test = utxoNetwork('litecoin', 'test');
    const formerly = addressOf(testBitcoin, bytes(`a914${'11'.repeat(20)}87`))!;
    expect(formerly).toStartWith('2');
    expect(normalizeUtxoAddress(test, formerly)).toStartWith('Q');
  });

  test('a slip of the pen is refused', () => {
    for (const text of [
      '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggv',
      '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVgg',
      '1bpei6dfdaufd7gtittlsdbeyjvcoavggu',
      '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVgguu',
      '0BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu',
    ])
      for (const network of everyNetwork) expect(scriptOf(network, text)).toBeNull();
  });

  test('keys that somebody pasted for an address are none', () => {
    for (const text of [
      'L1aW4aubDFB7yfras2S1mN3bqg9nwySY8nkoLmJebSLD5BWv3ENZ',
      '5Kb8kLf9zgWQnogidDA76MzPL6TsZZY36hWXMssSzNydYXYB9KF',
      '6PRVWUbkzzsbcVac2qwfssoUJAN1Xhrg6bNk8J7Nzm5H7kxEbn2Nh2ZoGg',
    ])
      for (const network of everyNetwork) expect(scriptOf(network, text)).toBeNull();
  });
});

describe('cashaddr', () => {
  /** From the specification, and for types 2 and 3 and 32 bytes from CHIP-2022-02-CashTokens. */
  test.each([
    [
      '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu',
      'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a',
      '76a91476a04053bda0a88bda5177b86a15c3b29f55987388ac',
    ],
    [
      '1KXrWXciRDZUpQwQmuM1DbwsKDLYAYsVLR',
      'bitcoincash:qr95sy3j9xwd2ap32xkykttr4cvcu7as4y0qverfuy',
      '76a914cb481232299cd5743151ac4b2d63ae198e7bb0a988ac',
    ],
    [
      '3CWFddi6m4ndiGyKqzYvsFYagqDLPVMTzC',
      'bitcoincash:ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq',
      'a91476a04053bda0a88bda5177b86a15c3b29f55987387',
    ],
    [
      '3LDsS579y7sruadqu11beEJoTjdFiFCdX4',
      'bitcoincash:pr95sy3j9xwd2ap32xkykttr4cvcu7as4yc93ky28e',
      'a914cb481232299cd5743151ac4b2d63ae198e7bb0a987',
    ],
  ])('%p is the same script and the same address as %p', (legacy, address, script) => {
    const bare = address.slice('bitcoincash:'.length);
    for (const text of [legacy, address, bare, address.toUpperCase(), bare.toUpperCase()]) {
      expect(scriptHex(cash, text)).toBe(script);
      expect(normalizeUtxoAddress(cash, text)).toBe(address);
    }
  });

  test('an address of a wallet that knows tokens is the same script as the plain one', () => {
    for (const [aware, plain] of [
      [
        'bitcoincash:zr6m7j9njldwwzlg9v7v53unlr4jkmx6eycnjehshe',
        'bitcoincash:qr6m7j9njldwwzlg9v7v53unlr4jkmx6eylep8ekg2',
      ],
      [
        'bitcoincash:rpawqn2h74a4t50phuza84kdp3794pq3cct3k50p0y',
        'bitcoincash:ppawqn2h74a4t50phuza84kdp3794pq3ccvm92p8sh',
      ],
      [
        'bitcoincash:rvqqqqqqqqqqqqqqqqqqqqqqzg69v7ysqqqqqqqqqqqqqqqqqqqqqn9alsp2y',
        'bitcoincash:pvqqqqqqqqqqqqqqqqqqqqqqzg69v7ysqqqqqqqqqqqqqqqqqqqqqpkp7fqn0',
      ],
    ] as const)
      expect(normalizeUtxoAddress(cash, aware)).toBe(plain);
    expect(scriptHex(cash, 'bitcoincash:pvqqqqqqqqqqqqqqqqqqqqqqzg69v7ysqqqqqqqqqqqqqqqqqqqqqpkp7fqn0')).toBe(
      `aa20${'00'.repeat(14)}1234567890${'00'.repeat(13)}87`,
    );
  });

  test.each([
    ['mixed case', 'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvY22gdx6a'],
    [
      'an upper-case prefix on a lower-case address',
      'BITCOINCASH:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a',
    ],
    ['a wrong letter', 'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6q'],
    ['a prefix of another network', 'bchtest:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a'],
    ['an address of another network', 'bchtest:pr6m7j9njldwwzlg9v7v53unlr4jkmx6eyvwc0uz5t'],
    ['a hash of 24 bytes', 'bitcoincash:q9adhakpwzztepkpwp5z0dq62m6u5v5xtyj7j3h2ws4mr9g0'],
    ['a checksum alone', 'bitcoincash:qqqqqqqq'],
    ['two prefixes', 'bitcoincash:bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a'],
    ['a payment URI', 'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a?amount=1'],
    ['segwit, which the chain has not', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
  ])('%s is refused', (_, text) => {
    expect(scriptOf(cash, text)).toBeNull();
  });
});

describe('the right network only', () => {
  const scripts = [
    `76a914${'12'.repeat(20)}88ac`,
    `a914${'34'.repeat(20)}87`,
    `0014${'56'.repeat(20)}`,
    `0020${'78'.repeat(32)}`,
    `5120${'9a'.repeat(32)}`,
  ];

  test('an address is refused by every network whose addresses look otherwise', () => {
    // base58 of test and regtest is the same, and Litecoin reads Bitcoin's P2SH: these cannot be
    // told apart
    const shared = (text: string) => !/^(bc|tb|ltc|tltc|rltc|bch)[a-z]*[1:]/.test(text);
    for (const network of everyNetwork)
      for (const script of scripts) {
        const text = addressOf(network, bytes(script));
        if (text === null || shared(text)) continue;
        const readers = everyNetwork.filter((other) => scriptOf(other, text) !== null);
        expect(readers.map(({ family, name }) => [family, name])).toEqual([[network.family, network.name]]);
      }
  });

  test('main networks never read an address of a test network, nor the other way round', () => {
    const isMain = ({ name }: UtxoNetwork) => name === 'main';
    for (const network of everyNetwork)
      for (const script of scripts) {
        const text = addressOf(network, bytes(script));
        for (const other of everyNetwork)
          if (text !== null && isMain(other) !== isMain(network)) expect(scriptOf(other, text)).toBeNull();
      }
  });

  test('Bitcoin refuses Litecoin’s addresses, and Litecoin Bitcoin’s but P2SH', () => {
    for (const script of scripts) {
      expect(scriptOf(bitcoin, addressOf(litecoin, bytes(script))!)).toBeNull();
      const read = scriptHex(litecoin, addressOf(bitcoin, bytes(script))!);
      expect(read).toBe(script.startsWith('a914') ? script : null);
    }
  });

  test('confidential addresses of Litecoin and the outputs of its extension block are none', () => {
    const confidential =
      'ltcmweb1qq20e2arnhvxw97katjkmsd35agw3capxjkrkh7dk8d30rczm8ypxuq329nwh2twmchhqn3jqh7ua4ps539f6aazh79jy76urqht4qa59ts3at6gf';
    expect(scriptOf(litecoin, confidential)).toBeNull();
    for (const opcode of ['58', '59']) {
      const script = bytes(`${opcode}20${'ab'.repeat(32)}`);
      expect(addressOf(litecoin, script)).toBeNull();
      const text = addressOf(bitcoin, script)!;
      expect(scriptHex(bitcoin, text)).toBe(Buffer.from(script).toString('hex'));
    }
  });
});

test('a script without an address has none', () => {
  for (const script of [
    '',
    '00',
    '6a0548656c6c6f',
    `21${'02'.repeat(33)}ac`,
    `5121${'02'.repeat(33)}51ae`,
    `0015${'56'.repeat(21)}`,
    `0014${'56'.repeat(19)}`,
    `5101${'56'}`,
    `5129${'56'.repeat(41)}`,
    `5013${'56'.repeat(19)}`,
    `76a914${'12'.repeat(20)}88ad`,
    `a914${'34'.repeat(20)}88`,
    `aa20${'34'.repeat(32)}88`,
  ])
    for (const network of everyNetwork) expect(addressOf(network, bytes(script))).toBeNull();
  const hash256 = bytes(`aa20${'34'.repeat(32)}87`);
  expect([bitcoin, litecoin].map((network) => addressOf(network, hash256))).toEqual([null, null]);
});
