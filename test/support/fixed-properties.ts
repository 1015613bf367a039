import fc from 'fast-check';
import { runs } from './runs.ts';

// The same tries in each run, and no search for a smaller example: what fails has been found.
fc.configureGlobal({ seed: 20261130, numRuns: runs(100), endOnFailure: true });
