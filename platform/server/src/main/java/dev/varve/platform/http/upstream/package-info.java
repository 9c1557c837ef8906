/**
 * Chats for another server: {@link dev.varve.platform.http.upstream.UpstreamProxy} makes the
 * messages of a body shorter, sends everything else of it on as it came, and brings the reply to
 * the client as it comes. Bodies are not checked beyond what that takes: what the other server does
 * not like it says itself.
 */
package dev.varve.platform.http.upstream;
