/**
 * Chats for an upstream server: {@link dev.varve.platform.http.upstream.UpstreamProxy} compresses
 * the messages of a body, forwards everything else unchanged, and relays the reply to the client.
 * It checks only the fields that it needs; the upstream server reports other errors.
 */
package dev.varve.platform.http.upstream;
