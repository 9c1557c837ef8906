/**
 * The HTTP server: OpenAI-compatible routes over an {@link dev.varve.platform.engine.Engine},
 * health and metrics. A request has a virtual thread that may block; the engine's thread only puts
 * events into its bounded queue.
 */
package dev.varve.platform.http;
