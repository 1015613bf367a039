import { describe, expect, it } from 'vitest';
import { early, unclaimed, unsavedFloods, windowsBroken } from './cooldown.ts';
import { Sample } from './sample.ts';

const whats = (findings: readonly { readonly what: string }[]): string[] => findings.map(({ what }) => what);

describe('early', () => {
  it('finds nothing before the flood was saved, and nothing at its end', () => {
    const run = new Sample().closed('flood', 10, 20);
    run.grant('a', 9).arrival('a', 9.5).grant('b', 20).arrival('b', 20.1);
    expect(early(run.evidence)).toEqual([]);
  });

  it('forgives a request on a claim that is older than the flood, while that claim lives', () => {
    const run = new Sample().closed('flood', 10, 20).grant('a', 9.9).arrival('a', 14.8);
    expect(early(run.evidence)).toEqual([]);
    const late = new Sample().closed('flood', 10, 20).grant('a', 9.9).arrival('a', 15.6);
    expect(whats(early(late.evidence))).toEqual([expect.stringContaining('arrived 4400 ms early')]);
  });

  it('finds a claim that was granted after the flood was saved, whether or not a request followed', () => {
    const run = new Sample().closed('flood', 10, 20).grant('a', 10.1);
    expect(whats(early(run.evidence))).toEqual([expect.stringContaining('granted 100 ms after')]);
    expect(early(run.arrival('a', 10.2).evidence)).toHaveLength(2);
  });

  it('finds a request that had no claim', () => {
    expect(early(new Sample().closed('flood', 10, 20).arrival('a', 12).evidence)).toHaveLength(1);
  });

  it('finds a claim granted while a person had paused the lane', () => {
    const run = new Sample().closed('paused', 10, 20).grant('a', 9).arrival('a', 16);
    expect(early(run.evidence)).toEqual([]);
    expect(early(run.grant('b', 12).evidence)).toHaveLength(1);
  });
});

describe('floods not saved', () => {
  it('finds a flood that a reply knows of and its lane does not', () => {
    const run = new Sample().reply('k', 'sent', {
      attempts: [
        ['flood', 2],
        ['sent', 9],
      ],
    });
    expect(unsavedFloods(run.evidence)).toHaveLength(1);
    expect(unsavedFloods(run.closed('flood', 2, 9, 'k').evidence)).toEqual([]);
  });
});

describe('requests without a claim', () => {
  it('finds nothing where each request has its own', () => {
    const run = new Sample().grant('k', 1).arrival('k', 1.2).grant('k', 5, 2).arrival('k', 5.2);
    expect(unclaimed(run.evidence)).toEqual([]);
  });

  it('finds a request before any claim', () => {
    expect(whats(unclaimed(new Sample().arrival('k', 1).evidence))).toEqual(['arrived without any claim']);
  });

  it('finds two requests on one claim', () => {
    const run = new Sample().grant('k', 1).arrival('k', 1.2).arrival('k', 2.2);
    expect(whats(unclaimed(run.evidence))).toEqual(['arrived twice on claim 1']);
  });

  it('finds a request on a claim whose life was over', () => {
    const run = new Sample().grant('k', 1).arrival('k', 7);
    expect(whats(unclaimed(run.evidence))).toEqual([expect.stringContaining('6000 ms after its claim')]);
  });
});

describe('windows', () => {
  it('finds a request too many, answered or not', () => {
    const run = new Sample().arrival('a', 1).arrival('b', 1.5, 'none');
    expect(windowsBroken(run.evidence)).toEqual([]);
    expect(whats(windowsBroken(run.arrival('c', 1.99, 'none').evidence))).toEqual([
      'more than 2 in 1000 ms (bot): 990.0 ms',
    ]);
  });
});
