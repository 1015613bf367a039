import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import { printable } from '../../contracts/text.ts';

/** Markup in which everything that was put into it is escaped. */
export type Html = ReturnType<typeof html>;

export interface Page {
  readonly status: number;
  readonly title: string;
  readonly body: Html;
  readonly headers?: Readonly<Record<string, string>>;
}

const style = `
:root { color-scheme: light dark; font: 100%/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 72rem; padding: 0 1rem 3rem; }
a:focus-visible, button:focus-visible, input:focus-visible, select:focus-visible, textarea:focus-visible, [tabindex]:focus-visible
  { outline: 3px solid Highlight; outline-offset: 2px; }
nav ul { display: flex; flex-wrap: wrap; gap: 1rem; list-style: none; padding: 0; }
.skip { position: absolute; left: -999rem; }
.skip:focus { position: static; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid GrayText; padding: .4rem .6rem; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
thead th { overflow-wrap: normal; }
td { overflow-wrap: break-word; }
dt { font-weight: 600; }
dd { margin: 0 0 .6rem; overflow-wrap: anywhere; }
fieldset, .note { border: 1px solid GrayText; border-radius: .3rem; margin: 1rem 0; padding: .6rem 1rem; }
.note { border-width: 2px; border-left-width: .6rem; }
label { display: block; margin: .4rem 0; }
label.field { font-weight: 600; margin-bottom: 0; }
.filters { display: flex; flex-wrap: wrap; gap: 1rem; align-items: end; }
input[type=text], textarea, select, button { box-sizing: border-box; font: inherit; padding: .4rem; }
textarea, input[type=text] { max-width: 40rem; width: 100%; }
.filters input[type=text] { width: 12rem; }
button { min-height: 2.5rem; padding: .4rem 1rem; }
pre { border: 1px solid GrayText; overflow-x: auto; padding: .6rem; white-space: pre-wrap; overflow-wrap: anywhere; }
`;

const styleHash = createHash('sha256').update(style, 'utf8').digest('base64');

/**
 * For everything that the page answers. `same-origin` and not `no-referrer`: with the latter a browser sends its own forms
 * with the origin "null".
 */
const headers: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** Text of anybody, fit to be shown: one line, without what could reorder the text around it. */
export function shown(text: string): string {
  return printable(text, 1000);
}

/** An instant, for people and programs. */
export function instant(iso: string): Html {
  const text = shown(iso);
  return html`<time datetime="${text}">${text.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}</time>`;
}

/** A whole page. All links are queries on the page's own path, so that it works wherever it is mounted. */
export async function documentOf(page: Page, by: string | null): Promise<Response> {
  const text = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${shown(page.title)} – replies under review</title>
        ${raw(`<style>${style}</style>`)}
      </head>
      <body>
        <header>
          <a class="skip" href="#main">To the content</a>
          ${by === null ? '' : navigation(by)}
        </header>
        <main id="main" tabindex="-1">
          <h1>${shown(page.title)}</h1>
          ${page.body}
        </main>
      </body>
    </html>`;
  return new Response(String(text), {
    status: page.status,
    headers: { ...headers, ...page.headers, 'content-type': 'text/html; charset=utf-8' },
  });
}

/** Sends the browser on to another view of the page, by GET. */
export function seeOther(query: string): Response {
  return new Response(null, { status: 303, headers: { ...headers, location: query } });
}

/** The query under which a reply is shown. */
export function replyQuery(id: string, more: Readonly<Record<string, string>> = {}): string {
  return `?${new URLSearchParams({ reply: id, ...more }).toString()}`;
}

function navigation(by: string): Html {
  return html`<nav aria-label="Views">
    <ul>
      <li><a href="?">Under review</a></li>
      <li><a href="?view=lanes">Lanes</a></li>
      <li>You are ${shown(by)}</li>
    </ul>
  </nav>`;
}
