import { publicUrl } from './api.ts';

const script = `<script async src="${publicUrl}/v1/public/player.js"></script>`;

/**
 * The embed code of the player.
 * @param attributes by name; an empty value gives an attribute without a value
 */
export function playerSnippet(attributes: Readonly<Record<string, string>>): string {
  const written = Object.entries(attributes)
    .map(([name, value]) => (value === '' ? ` ${name}` : ` ${name}="${escaped(value)}"`))
    .join('');
  return `${script}\n<lectern-player${written}></lectern-player>`;
}

/** @param key a new key; undefined: a placeholder */
export function generateSnippet(key: string | undefined): string {
  const body = {
    post_id: 'first-post',
    post_title: 'Harbor town reopens its lighthouse',
    content:
      'The lighthouse of Port Ellery opened its doors again on Saturday. From now on visitors may climb its 199 steps every day until dusk.',
  };
  return [
    `curl ${publicUrl}/v1/audio/generate \\`,
    `  -H 'X-API-Key: ${key ?? 'YOUR_API_KEY'}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify(body, null, 2)}'`,
  ].join('\n');
}

interface FramedPost {
  readonly domain: string;
  readonly postId: string;
  readonly title: string;
}

/** @returns an iframe, which also plays without JavaScript */
export function frameSnippet(post: FramedPost): string {
  return `<iframe ${frameAttributes(post)} loading="lazy" style="border: 0"></iframe>`;
}

/** @returns the same for AMP, which allows an iframe near the top of a page only with a placeholder */
export function ampSnippet(post: FramedPost): string {
  return `<amp-iframe ${frameAttributes(post)} layout="responsive" frameborder="0"
  sandbox="allow-scripts allow-same-origin allow-popups"><span placeholder></span></amp-iframe>`;
}

function frameAttributes({ domain, postId, title }: FramedPost): string {
  const query = new URLSearchParams({ domain, post_id: postId });
  const address = escaped(`${publicUrl}/v1/public/embed?${query}`);
  return `src="${address}" title="${escaped(title)}" width="600" height="156"`;
}

/** For systems that run HTML of one's own on each page. @param before CSS selector of the text */
export function injectedSnippet(before: string): string {
  return `${script}
<script>document.querySelector('${before}')?.before(document.createElement('lectern-player'))</script>`;
}

/** A plugin for WordPress 6.1 and later. The API key is in wp-config.php, where no editor and no page sees it. */
export function wordPressSnippet(): string {
  return `<?php
/* Plugin Name: Lectern */

const LECTERN_URL = '${publicUrl}';

// A published post is sent; one that is no longer public is deleted.
function lectern_send( $post_id ) {
	$post = get_post( $post_id );
	if ( ! $post || 'post' !== $post->post_type || ! defined( 'LECTERN_KEY' ) ) {
		return;
	}
	$sent = get_post_meta( $post_id, '_lectern_sent', true );
	if ( 'publish' !== $post->post_status || '' !== $post->post_password ) {
		if ( $sent && lectern_request( 'DELETE', '/' . $post_id, '', $post_id ) ) {
			delete_post_meta( $post_id, '_lectern_sent' );
		}
		return;
	}
	$body = wp_json_encode( array(
		'post_id'    => (string) $post_id,
		'post_title' => html_entity_decode( $post->post_title, ENT_QUOTES, 'UTF-8' ),
		'post_url'   => get_permalink( $post ),
		'content'    => apply_filters( 'the_content', $post->post_content ),
		'language'   => get_bloginfo( 'language' ),
	) );
	if ( md5( $body ) !== $sent && lectern_request( 'POST', '/generate', $body, $post_id ) ) {
		update_post_meta( $post_id, '_lectern_sent', md5( $body ) );
	}
}
add_action( 'wp_after_insert_post', 'lectern_send' );
add_action( 'lectern_retry', 'lectern_send' );

// A request that failed is repeated after five minutes if that can help.
function lectern_request( $method, $path, $body, $post_id ) {
	$answer = wp_remote_request( LECTERN_URL . '/v1/audio' . $path, array(
		'method'  => $method,
		'timeout' => 10,
		'headers' => array( 'X-API-Key' => LECTERN_KEY, 'Content-Type' => 'application/json' ),
		'body'    => $body,
	) );
	$status = (int) wp_remote_retrieve_response_code( $answer );
	if ( 0 === $status || 429 === $status || $status >= 500 ) {
		wp_schedule_single_event( time() + 300, 'lectern_retry', array( $post_id ) );
	}
	return $status >= 200 && $status < 300 || 404 === $status;
}

add_action( 'before_delete_post', function ( $post_id ) {
	if ( defined( 'LECTERN_KEY' ) && get_post_meta( $post_id, '_lectern_sent', true ) ) {
		lectern_request( 'DELETE', '/' . $post_id, '', $post_id );
	}
} );

add_action( 'wp_enqueue_scripts', function () {
	if ( is_singular( 'post' ) ) {
		wp_enqueue_script( 'lectern', LECTERN_URL . '/v1/public/player.js', array(), null, array( 'strategy' => 'async' ) );
	}
} );

add_filter( 'the_content', function ( $content ) {
	if ( ! is_singular( 'post' ) || ! in_the_loop() || ! is_main_query() ) {
		return $content;
	}
	return '<lectern-player post-id="' . get_the_ID() . '"></lectern-player>' . $content;
} );`;
}

/** @returns the oEmbed discovery link for an article page */
export function discoverySnippet(pageUrl: string): string {
  const address = escaped(`${publicUrl}/v1/public/oembed?url=${encodeURIComponent(pageUrl)}`);
  return `<link rel="alternate" type="application/json+oembed" href="${address}">`;
}

function escaped(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
