/**
 * Prefix cache events for routers: which blocks of tokens a server holds, and in which medium.
 * Start with {@link dev.varve.api.event.CacheListenerProvider}.
 */
package dev.varve.api.event;
