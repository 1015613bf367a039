import type { ReplyRecord, ReviewKind } from '../domain/record.ts';
import type { Listed } from './list-replies.ts';

/** Which replies under review are meant; all that is given must hold. */
export interface ReviewFilter {
  readonly bot?: string;
  readonly kind?: ReviewKind;
  /** Only those under review for at least so long. */
  readonly olderThanMs?: number;
}

/** The replies of a list that are under review and match, the oldest review first. */
export async function reviewsIn(
  listed: AsyncIterable<Listed>,
  { kind, olderThanMs = 0 }: ReviewFilter,
): Promise<readonly ReplyRecord[]> {
  const latestMs = Date.now() - olderThanMs;
  const reviews: ReplyRecord[] = [];
  for await (const one of listed) {
    if (one.kind !== 'reply') continue;
    const { review } = one.reply;
    if (kind !== undefined && review?.kind !== kind) continue;
    if (olderThanMs > 0 && !(review && Date.parse(review.since) <= latestMs)) continue;
    reviews.push(one.reply);
  }
  const since = ({ review }: ReplyRecord): string => review?.since ?? '';
  return reviews.sort((a, b) => (since(a) < since(b) ? -1 : since(a) > since(b) ? 1 : 0));
}
