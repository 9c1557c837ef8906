/**
 * What routers are told of computed prompts: which blocks of tokens a server has, and where. Start
 * with {@link dev.varve.api.event.CacheListenerProvider}.
 */
package dev.varve.api.event;
