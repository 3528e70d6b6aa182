/** From which servers a UTXO chain may be read, as CONFIG_FILE names them. */
import { describe, expect, test } from 'bun:test';
import { faults, loaded } from '../support/configurations.ts';

describe('CONFIG_FILE', () => {
  test('a chain of the bitcoin kind is read from nodes, Esplora or Electrum servers, never from two kinds', () => {
    const esplora = ['https://esplora.example/api/'];
    const { bitcoin } = loaded({}, { chains: { bitcoin: { esplora } } }).chains;
    expect(bitcoin).toMatchObject({ rpc: [], esplora: [{ url: 'https://esplora.example/api' }] });
    const electrum = ['ssl://electrum.example:50002'];
    for (const settings of [{}, { rpc: ['http://node'], esplora }, { esplora, electrum }])
      expect(faults({}, { chains: { bitcoin: settings } })).toEqual({
        'chains.bitcoin': 'needs either rpc, esplora or electrum',
      });
    expect(Object.keys(faults({}, { chains: { ethereum: { esplora } } })).sort()).toEqual([
      'chains.ethereum.esplora',
      'chains.ethereum.rpc',
    ]);
  });

  test('a node tells heads over a WebSocket, in the families whose nodes do', () => {
    const node = { url: 'https://eth.example', stream: 'wss://eth.example/v2/KEY' };
    for (const chain of ['ethereum', 'solana', 'xrp'])
      expect(loaded({}, { chains: { [chain]: { rpc: [node] } } }).chains[chain]?.rpc).toMatchObject([node]);
    for (const chain of ['tron', 'ton', 'bitcoin'])
      expect(Object.keys(faults({}, { chains: { [chain]: { rpc: [node] } } }))).toEqual([
        `chains.${chain}.rpc.0.stream`,
      ]);
    for (const stream of ['https://secret.example', 'secret', 7])
      expect(faults({}, { chains: { ethereum: { rpc: [{ ...node, stream }] } } })).toEqual({
        'chains.ethereum.rpc.0.stream': expect.not.stringContaining('secret'),
      });
    expect(loaded({}, { chains: { ethereum: { rpc: ['http://node'] } } }).chains.ethereum?.rpc).toMatchObject(
      [{ stream: null }],
    );
  });

  test('an Electrum server is named by scheme, host and port, and by its certificate where no authority vouches for it', () => {
    const fingerprint = `${'AB:'.repeat(31)}CD`;
    const { bitcoin } = loaded(
      {},
      {
        chains: {
          bitcoin: {
            electrum: [
              'tcp://127.0.0.1:50001',
              {
                url: 'ssl://electrum.example:50002',
                certificate_sha256: fingerprint,
                max_rps: 5,
                priority: 2,
              },
            ],
          },
        },
      },
    ).chains;
    expect(bitcoin?.electrum).toMatchObject([
      { url: 'tcp://127.0.0.1:50001', certificateSha256: null },
      {
        ...{ url: 'ssl://electrum.example:50002', maxRps: 5, priority: 2 },
        certificateSha256: `${'ab'.repeat(31)}cd`,
      },
    ]);
    for (const wrong of [
      'https://electrum.example:50002',
      'ssl://electrum.example',
      'electrum.example:50002',
    ])
      expect(Object.keys(faults({}, { chains: { bitcoin: { electrum: [wrong] } } }))).toEqual([
        'chains.bitcoin.electrum.0',
      ]);
    const unpinned = { url: 'ssl://electrum.example:50002', certificate_sha256: 'none' };
    expect(Object.keys(faults({}, { chains: { bitcoin: { electrum: [unpinned] } } }))).toEqual([
      'chains.bitcoin.electrum.0.certificate_sha256',
    ]);
  });
});
