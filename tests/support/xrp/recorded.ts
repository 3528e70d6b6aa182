/**
 * Transactions of the main network. The fields of both are recorded: tests hold them against their
 * hashes. The metadata of the first is recorded too (ledger 38129, of 2013); of the second only the
 * sender's node is, and the recipient's is built by the documentation.
 */

/**
 * The only transaction of its ledger. Nodes tell no delivered amount of that time, or
 * `unavailable`.
 */
export const ACCOUNT_OPENED_IN_2013 = {
  hash: '3B1A4E1C9BB6A7208EB146BCDB86ECEA6068ED01466D933528CA2B4C64F753EF',
  tx_json: {
    Account: 'r3kmLJN5D28dHuH8vZNUZpMC43pEHpaocV',
    DeliverMax: '10000000000',
    Destination: 'rLQBHVhFnaC5gLEkgr6HgBJJ3bgeZHg9cj',
    Fee: '10',
    Flags: 0,
    Sequence: 62,
    SigningPubKey: '034AADB09CFF4A4804073701EC53C3510CDC95917C2BB0150FB742D0C66E6CEE9E',
    TransactionType: 'Payment',
    TxnSignature:
      '3045022022EB32AECEF7C644C891C19F87966DF9C62B1F34BABA6BE774325E4BB8E2DD62022100A51437898C28C2B297112DF8131F2BB39EA5FE613487DDD611525F1796264639',
  },
  meta: {
    AffectedNodes: [
      {
        CreatedNode: {
          LedgerEntryType: 'AccountRoot',
          LedgerIndex: '4C6ACBD635B0F07101F7FA25871B0925F8836155462152172755845CE691C49E',
          NewFields: { Account: 'rLQBHVhFnaC5gLEkgr6HgBJJ3bgeZHg9cj', Balance: '10000000000', Sequence: 1 },
        },
      },
      {
        ModifiedNode: {
          FinalFields: {
            Account: 'r3kmLJN5D28dHuH8vZNUZpMC43pEHpaocV',
            Balance: '981481999380',
            Flags: 0,
            OwnerCount: 0,
            Sequence: 63,
          },
          LedgerEntryType: 'AccountRoot',
          LedgerIndex: 'B33FDD5CF3445E1A7F2BE9B06336BEBD73A5E3EE885D3EF93F7E3E2992E46F1A',
          PreviousFields: { Balance: '991481999390', Sequence: 62 },
          PreviousTxnID: '2485FDC606352F1B0785DA5DE96FB9DBAF43EB60ECBB01B7F6FA970F512CDA5F',
          PreviousTxnLgrSeq: 31317,
        },
      },
    ],
    TransactionIndex: 0,
    TransactionResult: 'tesSUCCESS',
  },
};

/** A payment to an exchange's account, with a destination tag (ledger 95831133, of 2025). */
export const TAGGED_PAYMENT_OF_2025 = {
  hash: '6B34C05B9914FF72BA7FA3044B8D48586532C44FAD3EE8B7A463B9CCA5ABA4EF',
  ledger_index: 95831133,
  tx_json: {
    Account: 'rEiq1iAcpzP8WLjezP9MzAQEJ7jqKMLFSA',
    DeliverMax: '75596347',
    Destination: 'rDNvjMc6LjtpR7BdfiSNvavUBjznhhmpNq',
    DestinationTag: 905312,
    Fee: '24',
    Flags: 2147483648,
    LastLedgerSequence: 95844482,
    Sequence: 65773132,
    SigningPubKey: '024979DFC8EA12B95CB832E57D9E11AFABB2F4A8F99736F4AA1050F7C3F4297B77',
    TransactionType: 'Payment',
    TxnSignature:
      '3045022100E1CBFD6E29E3AD311E07DECB8336C26C8C38120C7F0C6D5F2043B60611D2F9AC02202CF7AE83F2F8B6E8FAA810051E60519456415D447DD537024FD0ABAB72180833',
  },
  meta: {
    AffectedNodes: [
      {
        ModifiedNode: {
          FinalFields: {
            Account: 'rEiq1iAcpzP8WLjezP9MzAQEJ7jqKMLFSA',
            Balance: '4901552994070',
            Flags: 0,
            OwnerCount: 1,
            Sequence: 65773133,
          },
          LedgerEntryType: 'AccountRoot',
          LedgerIndex: '38EDA33EB564190519CE39E829A9643F4E3855E4533BE2CABC6A57BD77846AA0',
          PreviousFields: { Balance: '4901628590441', Sequence: 65773132 },
        },
      },
      {
        ModifiedNode: {
          FinalFields: {
            Account: 'rDNvjMc6LjtpR7BdfiSNvavUBjznhhmpNq',
            Balance: '975596347',
            Flags: 131072,
            OwnerCount: 0,
            Sequence: 7,
          },
          LedgerEntryType: 'AccountRoot',
          PreviousFields: { Balance: '900000000' },
        },
      },
    ],
    TransactionIndex: 1,
    TransactionResult: 'tesSUCCESS',
    delivered_amount: '75596347',
  },
};
