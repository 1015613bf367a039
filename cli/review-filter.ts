import type { ReplyClient, ReplyRecord, ReviewKind } from '../client/index.ts';

/** Which replies under review are meant. */
export interface ReviewFilter {
  readonly bot?: string;
  readonly kind?: ReviewKind;
  /** In milliseconds. */
  readonly olderThan?: number;
}

/** Replies under review that the filter matches, the oldest first. */
export async function matchingReviews(
  replies: ReplyClient,
  filter: ReviewFilter,
): Promise<readonly ReplyRecord[]> {
  const { bot, kind, olderThan = 0 } = filter;
  const latestMs = Date.now() - olderThan;
  const reviews = await replies.reviews(bot === undefined ? {} : { bot });
  return reviews.filter(
    ({ review }) =>
      (kind === undefined || review?.kind === kind) &&
      (olderThan === 0 || (review !== null && Date.parse(review.since) <= latestMs)),
  );
}
