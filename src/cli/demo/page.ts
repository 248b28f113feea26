import { Elysia } from 'elysia';
import { assetAnswer } from '../../http/asset.ts';
import { htmlDocument, noIcon } from '../../http/html.ts';
import { basePathOf, pageAnswer } from '../../http/page.ts';
import { demoArticle } from './article.ts';
import pageStyle from './page.css' with { type: 'text' };
import tower from './tower.svg' with { type: 'text' };

const style = { content: pageStyle, type: 'text/css; charset=utf-8' };
const picture = { content: tower, type: 'image/svg+xml' };

/**
 * The article as its readers would see it, with the player. It stands only where `lectern demo` runs.
 * @param postId of the post that is made of it
 */
export function demoPage(postId: string) {
  return (baseUrl: string) => {
    const page = pageOf(basePathOf(baseUrl), postId);
    return new Elysia({ name: 'demo' })
      .get('/demo', () => pageAnswer(page))
      .get('/demo/page.css', ({ request }) => assetAnswer(request, style))
      .get('/demo/tower.svg', ({ request }) => assetAnswer(request, picture));
  };
}

function pageOf(basePath: string, postId: string): string {
  return htmlDocument({
    language: 'en',
    title: demoArticle.title,
    head: [
      noIcon,
      `<link rel="stylesheet" href="${basePath}/demo/page.css">`,
      `<script async src="${basePath}/v1/public/player.js"></script>`,
    ],
    body: `<header><span>A page of the sample site, as its readers see it</span> <a href="${basePath}/">The dashboard</a></header>
<main>
<h1>${demoArticle.title}</h1>
<lectern-player post-id="${postId}" domain="localhost" sticky></lectern-player>
${demoArticle.content}
</main>`,
  });
}
