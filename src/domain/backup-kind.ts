/** How a recorded backup was made. `made`: by `bun run backup`. `noted`: by other tools. */
export const BACKUP_KINDS = ['made', 'noted'] as const;
export type BackupKind = (typeof BACKUP_KINDS)[number];
