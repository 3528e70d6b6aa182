/**
 * The Solana sender keeps the contract of senders whose transactions expire, on the test ledger.
 */
import { describeExpiringSender } from '../../../../contracts/sending/expiring-sender.ts';
import { HELIUS_FREE } from '../../../../support/providers/plans.ts';
import { openSenderCase } from '../../../../support/solana/sender-case.ts';

describeExpiringSender(`solana, behind ${HELIUS_FREE.name}`, () => openSenderCase(HELIUS_FREE), {
  counted: false,
});
