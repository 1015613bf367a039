import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../temporal/package-root.ts';
import { configurationDocument } from './document.ts';

/** Writes `docs/configuration.md`. */
const path = join(packageRoot(), 'docs', 'configuration.md');
writeFileSync(path, configurationDocument());
process.stdout.write(`${path}\n`);
