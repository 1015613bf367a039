import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule, TestSuite } from 'vitest/node';

/**
 * Ends the output with one line, `N passed, N failed` (and `, N skipped` if any). It is written when the process
 * exits, after whatever the other reporters and the teardown print. Whatever makes the run fail without a failed
 * test counts as a failure: a file that cannot be loaded, a hook, an unhandled error, no tests at all.
 */
export class VitestSummary implements Reporter {
  private passed = 0;
  private failed = 0;
  private skipped = 0;
  private ended = false;

  onInit(): void {
    process.once('exit', (code) => this.print(code));
  }

  onTestRunStart(): void {
    this.passed = this.failed = this.skipped = 0;
    this.ended = false;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    this.ended = true;
    this.failed += unhandledErrors.length;
    for (const module of modules) {
      this.countSuiteErrors(module);
      for (const suite of module.children.allSuites()) this.countSuiteErrors(suite);
      for (const test of module.children.allTests()) this.countTest(test.result().state);
    }
  }

  private countSuiteErrors(suite: TestModule | TestSuite): void {
    if (suite.errors().length > 0) this.failed += 1;
  }

  private countTest(state: 'passed' | 'failed' | 'skipped' | 'pending'): void {
    switch (state) {
      case 'passed':
        this.passed += 1;
        return;
      case 'skipped':
        this.skipped += 1;
        return;
      case 'failed':
      case 'pending': // Never finished: its worker died or the run was stopped.
        this.failed += 1;
        return;
    }
  }

  private print(exitCode: number): void {
    const failedChecks = Number(process.env['REPLYLANE_FAILED_CHECKS'] ?? 0);
    let failed = this.failed + failedChecks;
    if (failed === 0 && (exitCode !== 0 || !this.ended)) failed = 1;
    const skipped = this.skipped === 0 ? '' : `, ${this.skipped} skipped`;
    const marker = process.env['REPLYLANE_SUMMARY_MARKER'];
    if (marker) writeFileSync(marker, 'printed');
    process.stdout.write(`\n${this.passed} passed, ${failed} failed${skipped}\n`);
  }
}

// Vitest loads a reporter from a file by its default export.
export default VitestSummary;
