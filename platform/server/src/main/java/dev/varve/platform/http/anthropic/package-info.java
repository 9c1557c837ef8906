/**
 * Anthropic's Messages API: {@link dev.varve.platform.http.anthropic.MessagesDialect}. Does not
 * depend on sockets or threads.
 */
package dev.varve.platform.http.anthropic;
