// A page on which people decide replies under review: one function from a Fetch-API request to its response.
export {
  type Authenticate,
  type ReviewPage,
  type ReviewPageOptions,
  type ReviewPageReplies,
  type Reviewer,
  reviewPage,
} from './review-page.ts';
