<?php
/* Plugin Name: Lectern */

const LECTERN_URL = 'https://lectern.example';

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
} );
