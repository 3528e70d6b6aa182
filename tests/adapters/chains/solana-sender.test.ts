/** The Solana sender keeps the contract of senders whose transactions expire, on the test ledger. */
import { describeExpiringSender } from '../../contracts/expiring-sender.ts';
import { openSenderCase } from '../../support/solana/sender-case.ts';

describeExpiringSender('solana', openSenderCase, { counted: false });
