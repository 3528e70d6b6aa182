/** Writes of permanent addresses. Inside UnitOfWork.run only. */

import type { PermanentFamily } from '../../domain/catalog/family.ts';
import type { PermanentAddress } from '../../domain/invoices/permanent-address.ts';

export interface PermanentAddressRepository {
  /**
   * Inserts and returns true, unless an active one of (merchant, environment, user, family) exists.
   */
  insertIfAbsent(address: PermanentAddress): Promise<boolean>;
  findActive(key: {
    merchantId: string;
    sandbox: boolean;
    userId: string;
    family: PermanentFamily;
  }): Promise<PermanentAddress | null>;
  find(id: string): Promise<PermanentAddress | null>;
  /** In no order; unknown ones are left out. */
  findAll(ids: readonly string[]): Promise<readonly PermanentAddress[]>;
  lock(id: string): Promise<PermanentAddress | null>;
  save(address: PermanentAddress): Promise<void>;
}
