/** A keystore of the version that knew evm only, with what opens it. */
import type { KeystoreFile } from '../../../src/adapters/signer/keystore-file.ts';

export const masterKey = Uint8Array.from({ length: 32 }, (_, index) => 255 - index);
export const words = `${'abandon '.repeat(11)}about`;

export const EVM_ONLY: KeystoreFile = {
  version: 1,
  kdf: 'hkdf-sha256',
  salt: '348968b6932bb2ecd8edd76e8b1980aa6499c971c5f1fe89aac6afe645b7c34d',
  keyCheck: '0024c2108f7a9790c5bb319587d1dc18c23a26217970c25ee443c2b83145beaf',
  sealed:
    '1598a06d7a45655d5bd9943baf8d96005ff44d5c0624d8a26b5614e27f0a38c680214935604177b33b1bd99744e3475c3482345c8b6a4ac1b1c3969d747bd536b6829ef5385593045100ee4ca94f182c21825ffa4e642d70b65f267e5d4120b3b5122041aa37dfc12da97b3dd2fb438742b8d88fcdae2e5169',
  public: {
    evm: {
      path: "m/44'/60'/0'",
      xpub: 'xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt',
    },
  },
};
