/** The log of a script: on standard error, from warnings up, since standard output carries the answer. */
import { destination } from 'pino';
import { pinoLogger } from '../../src/adapters/system/pino-logger.ts';
import type { Config, LogLevel } from '../../src/config.ts';
import type { Logger } from '../../src/ports/logger.ts';

export function operatorsLogger({ logLevel }: Config): Logger {
  return pinoLogger({ level: atLeastWarn(logLevel), destination: destination({ dest: 2, sync: true }) });
}

function atLeastWarn(level: LogLevel): LogLevel {
  return level === 'debug' || level === 'info' ? 'warn' : level;
}
