import type { TestProject } from 'vitest/node';
import { buildGoProgram, goPrograms } from '../../tools/cluster/go-program.ts';

declare module 'vitest' {
  interface ProvidedContext {
    deployCheckPath: string;
  }
}

/** Builds what reads the deployment files. */
export async function setup({ provide }: TestProject): Promise<void> {
  provide('deployCheckPath', await buildGoProgram(goPrograms.deployCheck));
}
