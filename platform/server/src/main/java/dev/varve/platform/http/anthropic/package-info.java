/**
 * Anthropic's Messages: {@link dev.varve.platform.http.anthropic.MessagesDialect}. Knows neither
 * sockets nor threads.
 */
package dev.varve.platform.http.anthropic;
