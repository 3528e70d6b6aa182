/** The contracts of accounts, the audit log, notices and the consoles' reads, in memory. */
import { describeAccountRepositories } from '../../../contracts/accounts/account-repositories.ts';
import { describeApprovals } from '../../../contracts/accounts/approvals.ts';
import { describeSignInRepositories } from '../../../contracts/accounts/sign-in-repositories.ts';
import { describeAuditLog } from '../../../contracts/audit/audit-log.ts';
import { describeSnapshots } from '../../../contracts/audit/snapshots.ts';
import { describeAttentionQueries } from '../../../contracts/console/attention-queries.ts';
import { describePaymentSearch } from '../../../contracts/console/payment-search.ts';
import { describeTimelineQueries } from '../../../contracts/console/timeline-queries.ts';
import { describeBackupRecord } from '../../../contracts/notices/backup-record.ts';
import { describeOperatorNotices } from '../../../contracts/notices/operator-notice-repository.ts';
import { approvalQueries } from '../accounts/approvals.ts';
import { memoryDatabase } from '../memory-database.ts';
import { memoryStore } from '../store/memory-store.ts';

async function open() {
  const store = memoryStore();
  const { ports, accountQueries, close } = memoryDatabase(store, { sendsMails: true });
  return { ...ports, accountQueries, queries: approvalQueries(store), close };
}

describeAccountRepositories('memory', open);
describeSignInRepositories('memory', open);
describeApprovals('memory', open);
describeAuditLog('memory', open);
describeSnapshots('memory', open, { transactions: 'one after the other' });
describeOperatorNotices('memory', open);
describeBackupRecord('memory', open);
describeAttentionQueries('memory', open);
describePaymentSearch('memory', open);
describeTimelineQueries('memory', open);
