/**
 * Transactions and their ends as the main network has them. The first three are of TronGrid's
 * answer for the account TM1zzNDZD2DPASbKcgdVoTYhfmYgtfwx9R of June 2020, which a block indexer's
 * published test data hold; the fourth is printed in the protocol's own issue tracker (java-tron
 * 5975) and was made in August 2018. Tests hold all four against their ids and their owners'
 * signatures. What became of a transaction is in no signature: the failed one is as java-tron's
 * issue 6069 prints it.
 */

/** 13,195.916 TRX, in block 20829716. */
export const COIN_OF_2020 = {
  blockNumber: 20829716,
  block_timestamp: 1592755098000,
  energy_fee: 0,
  energy_usage: 0,
  energy_usage_total: 0,
  internal_transactions: [],
  net_fee: 2690,
  net_usage: 0,
  raw_data: {
    contract: [
      {
        parameter: {
          type_url: 'type.googleapis.com/protocol.TransferContract',
          value: {
            amount: 13195916000,
            owner_address: '4179309abcff2cf531070ca9222a1f72c4a5136874',
            to_address: '41d9378a9849912a41ec1f0e4677c074edf0516241',
          },
        },
        type: 'TransferContract',
      },
    ],
    expiration: 1592758749000,
    fee_limit: 0,
    ref_block_bytes: 'd5ff',
    ref_block_hash: 'c753125289c79c7c',
    timestamp: 1592755089996,
  },
  raw_data_hex:
    '0a02d5ff2208c753125289c79c7c40c88ec7bead2e5a69080112650a2d747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e5472616e73666572436f6e747261637412340a154179309abcff2cf531070ca9222a1f72c4a5136874121541d9378a9849912a41ec1f0e4677c074edf051624118e0e5a6943170cce4e7bcad2e',
  ret: [{ code: 'SUCESS', contractRet: 'SUCCESS', fee: 2690 }],
  signature: [
    'bae63e4214b0ab611079beabca020c82fbcada902f1f0c13106e7c4ba463efb25610d13b00b28cd19b54f648b88a4b05a08583b44b4f4179c2c605b42b22ad4b00',
  ],
  txID: '3fca53c08ccb48bb625439a58998713d8ecc3dc1348cc3cfab912e0815b62b1a',
};

/** 3,440.260000 USDT, in block 20829763. */
export const USDT_OF_2020 = {
  blockNumber: 20829763,
  block_timestamp: 1592755239000,
  energy_fee: 296310,
  energy_usage: 0,
  energy_usage_total: 29631,
  internal_transactions: [],
  net_fee: 3460,
  net_usage: 0,
  raw_data: {
    contract: [
      {
        parameter: {
          type_url: 'type.googleapis.com/protocol.TriggerSmartContract',
          value: {
            call_value: 0,
            contract_address: '41a614f803b6fd780986a42c78ec9c7f77e6ded13c',
            data: 'a9059cbb0000000000000000000000413b334848f75cf8c27ec975bcc7cc7e54f140b3c000000000000000000000000000000000000000000000000000000000cd0e33a0',
            owner_address: '4179309abcff2cf531070ca9222a1f72c4a5136874',
          },
        },
        type: 'TriggerSmartContract',
      },
    ],
    expiration: 1592758890000,
    fee_limit: 1000000000,
    ref_block_bytes: 'd62e',
    ref_block_hash: 'bbf7d06ee7004d5a',
    timestamp: 1592755233594,
  },
  raw_data_hex:
    '0a02d62e2208bbf7d06ee7004d5a4090dccfbead2e5aae01081f12a9010a31747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e54726967676572536d617274436f6e747261637412740a154179309abcff2cf531070ca9222a1f72c4a5136874121541a614f803b6fd780986a42c78ec9c7f77e6ded13c2244a9059cbb0000000000000000000000413b334848f75cf8c27ec975bcc7cc7e54f140b3c000000000000000000000000000000000000000000000000000000000cd0e33a070bac6f0bcad2e90018094ebdc03',
  ret: [{ code: 'SUCESS', contractRet: 'SUCCESS', fee: 299770 }],
  signature: [
    'c9a405be8b12f92747cc0f0d979606807a03edcefd154bcf517ce26f8bf681400d6cdacda11c98e7ae61d51905f7113658a786d6022b97e025f5a7e99b53845d01',
  ],
  txID: '18f5908a7e208e16bfb892a5b06df75675d3142d03a0d99d270ac46143b78d06',
};

/** A TRC-10 token, in block 20829627. */
export const BTT_OF_2020 = {
  blockNumber: 20829627,
  block_timestamp: 1592754831000,
  energy_fee: 0,
  energy_usage: 0,
  energy_usage_total: 0,
  internal_transactions: [],
  net_fee: 2850,
  net_usage: 0,
  raw_data: {
    contract: [
      {
        parameter: {
          type_url: 'type.googleapis.com/protocol.TransferAssetContract',
          value: {
            amount: 7639170000000,
            asset_name: '1002000',
            owner_address: '4179309abcff2cf531070ca9222a1f72c4a5136874',
            to_address: '410a60e164aa897ef76779164dff6e36161980c6fb',
          },
        },
        type: 'TransferAssetContract',
      },
    ],
    expiration: 1592758479000,
    fee_limit: 0,
    ref_block_bytes: 'd5a5',
    ref_block_hash: '462e1cfdbe99a85b',
    timestamp: 1592754820511,
  },
  raw_data_hex:
    '0a02d5a52208462e1cfdbe99a85b4098d1b6bead2e5a79080212750a32747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e5472616e736665724173736574436f6e7472616374123f0a073130303230303012154179309abcff2cf531070ca9222a1f72c4a51368741a15410a60e164aa897ef76779164dff6e36161980c6fb2080c98e90aade01709fabd7bcad2e',
  ret: [{ code: 'SUCESS', contractRet: 'SUCCESS', fee: 2850 }],
  signature: [
    'b49c878a8e85339fc4917e7f20625b38b941871c86572d2c01322ec26575c7024c34b498e464109a03f8e42df24cc0868910a0e7b1f7c174f5005a483a93dac600',
  ],
  txID: '79010512f8e58574cbd066d1a1bd1c7f46f65e59e3b7733010047ff8350f15f1',
};

/**
 * A TRC-10 token of 2018 that calls itself Bitcoin. Blocks of that time do not tell what became of
 * a transaction.
 */
export const TOKEN_NAMED_BITCOIN = {
  signature: [
    'f6809912d9c15215f3112944d6e90a15be58dde48eff2887f229f2ac65d67de549d836e8e9762f70883958d2c138759e202d543fcde9ff9d5b8d5e6247b8732001',
  ],
  txID: '3426db0be3d16fd1601b674e84c5ff31947aee0e2fbd99a830ff84298c3de564',
  raw_data: {
    contract: [
      {
        parameter: {
          value: {
            amount: 1,
            asset_name: '426974636f696e',
            owner_address: '4102f8f200d422276f1d13b7bc6e7f879ed878e6fd',
            to_address: '41195db8b3c0b1f012d5c52af38c6846355f21f87f',
          },
          type_url: 'type.googleapis.com/protocol.TransferAssetContract',
        },
        type: 'TransferAssetContract',
      },
    ],
    ref_block_bytes: '8b52',
    ref_block_hash: '2dbca869a78e9721',
    expiration: 1535515809000,
    timestamp: 1535515750703,
  },
  raw_data_hex:
    '0a028b5222082dbca869a78e972140e8a9ff9ed82c5a730802126f0a32747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e5472616e736665724173736574436f6e747261637412390a07426974636f696e12154102f8f200d422276f1d13b7bc6e7f879ed878e6fd1a1541195db8b3c0b1f012d5c52af38c6846355f21f87f200170afe2fb9ed82c',
};

const transferOf = (amount: number, to_address: string) => ({
  parameter: {
    value: { amount, owner_address: '4141f0a2b01c950b4d38c9abfe9b96579dea065168', to_address },
    type_url: 'type.googleapis.com/protocol.TransferContract',
  },
  type: 'TransferContract',
});

/**
 * A whole block of a test network, of March 2021, as a published client prints it for an example.
 */
export const BLOCK_OF_2021 = {
  blockID: '0000000000c9e803d5258a17e15172768b41ffb69e857530e7d9f7a92ccb78e8',
  block_header: {
    raw_data: {
      number: 13232131,
      txTrieRoot: '1b8e8977290caedf6de737f3e42d142c5c603d20d46942bb47a75963ec78709d',
      witness_address: '41ad3353aa1343b90a311f09b784c76f089d278232',
      parentHash: '0000000000c9e802e54079a6a84e92315f8b8dbcbefd9b151dc2317d27523049',
      version: 20,
      timestamp: 1615967187000,
    },
    witness_signature:
      'aa4ed732351f8abda25ce74255393dbeff305d132d4d25d5839dffed0298be6e67e9d4672ad404f9b198854c6378b25bed3759995c249278e5c0f1d489ff910201',
  },
  transactions: [
    {
      ret: [{ contractRet: 'SUCCESS' }],
      signature: [
        '51911c415dc290b1500562d41570009bbbe0827d231999ea7de1f0bbb1665b436e9a1f0c3eeff34f3df2290da5706f920e95b58a55827d7202f81fd45960a7ea01',
      ],
      txID: '738c8bdf8f2a38147a8a4643bb184cfde41b22707585669a2cfb15b3b7d869bf',
      raw_data: {
        contract: [transferOf(5000000000, '412e961e2d6493b2bc728d06d024c0e2a631063538')],
        ref_block_bytes: 'e7f0',
        ref_block_hash: '85fc9d795829e089',
        expiration: 1615967244000,
        timestamp: 1615967184487,
      },
      raw_data_hex:
        '0a02e7f0220885fc9d795829e08940e09d9df9832f5a69080112650a2d747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e5472616e73666572436f6e747261637412340a154141f0a2b01c950b4d38c9abfe9b96579dea0651681215412e961e2d6493b2bc728d06d024c0e2a6310635381880e497d01270e7cc99f9832f',
    },
    {
      ret: [{ contractRet: 'SUCCESS' }],
      signature: [
        'b03901e89ee688c819bc885f7f4789e5f47c1eb23bdbb9ee334516f9f43e86ce2968913414cc82113c5ec6ff993a9075e23cf81474920c9b4da94ad2a096310e01',
      ],
      txID: '5d79ef636445e261fa090cdb5d23d7f8e0443778cb74df2c3ee34a9462645f67',
      raw_data: {
        contract: [transferOf(5000000000, '4131ee9cedde5c5e0de33f26b3ba6596b0fef610f3')],
        ref_block_bytes: 'e7f0',
        ref_block_hash: '85fc9d795829e089',
        expiration: 1615967244000,
        timestamp: 1615967184529,
      },
      raw_data_hex:
        '0a02e7f0220885fc9d795829e08940e09d9df9832f5a69080112650a2d747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e5472616e73666572436f6e747261637412340a154141f0a2b01c950b4d38c9abfe9b96579dea06516812154131ee9cedde5c5e0de33f26b3ba6596b0fef610f31880e497d0127091cd99f9832f',
    },
    {
      ret: [{ contractRet: 'SUCCESS' }],
      signature: [
        '542dc9f8a72fd3d96a03e4075789cdd017f9c7a30522fffbd1c4a2def34dfcbf0ccdc3302507168c4cc41715d778ce3f452b988840c23f80cd4985fbc75f733a01',
      ],
      txID: 'ec0fa0d734c1d5815cee80b7accce61b0cda8a87e8d3e40061595104a4142430',
      raw_data: {
        data: '73656e6420746f20746f6e79',
        contract: [
          {
            parameter: {
              value: {
                data: 'a9059cbb00000000000000000000000001c12a552c8a35051153c05792249d2512f011ba000000000000000000000000000000000000000000000000112209c76de80000',
                owner_address: '41bcaadebd7d6951971e4876f79fd95351bd5571dc',
                contract_address: '4135cf7d6a20a1f7149e5f99442334257a95e8f28e',
              },
              type_url: 'type.googleapis.com/protocol.TriggerSmartContract',
            },
            type: 'TriggerSmartContract',
          },
        ],
        ref_block_bytes: 'e7ef',
        ref_block_hash: 'ca589e3ac0ae6383',
        expiration: 1615967241000,
        fee_limit: 6000000,
        timestamp: 1615967184149,
      },
      raw_data_hex:
        '0a02e7ef2208ca589e3ac0ae638340a8869df9832f520c73656e6420746f20746f6e795aae01081f12a9010a31747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e54726967676572536d617274436f6e747261637412740a1541bcaadebd7d6951971e4876f79fd95351bd5571dc12154135cf7d6a20a1f7149e5f99442334257a95e8f28e2244a9059cbb00000000000000000000000001c12a552c8a35051153c05792249d2512f011ba000000000000000000000000000000000000000000000000112209c76de800007095ca99f9832f9001809bee02',
    },
  ],
};

/** What became of a transfer of USDT that ran out of energy, in block 66747568. */
export const STARVED_OF_2024 = {
  id: 'aebfcad791c00033b72c2287535512cfa929ef483eec25a91d3fb9113b62a3dd',
  fee: 13739430,
  blockNumber: 66747568,
  blockTimeStamp: 1730892183000,
  contractResult: [''],
  contract_address: '41a614f803b6fd780986a42c78ec9c7f77e6ded13c',
  receipt: {
    energy_usage: 32007,
    energy_fee: 13394430,
    energy_usage_total: 95790,
    net_fee: 345000,
    result: 'OUT_OF_ENERGY',
    energy_penalty_total: 25905,
  },
  result: 'FAILED',
  resMessage:
    '4e6f7420656e6f75676820656e6572677920666f7220275353544f524527206f7065726174696f6e20657865637574696e673a20637572496e766f6b65456e657267794c696d69745b39353739305d2c206375724f70456e657267795b32303030305d2c2070656e616c7479456e657267795b36383030305d2c2075736564456e657267795b33333536375d',
};
