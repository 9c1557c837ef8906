/**
 * Traces of requests: spans are recorded while a request runs, and sent after it has ended. {@link
 * dev.varve.platform.http.trace.Tracing} decides which requests are recorded; without tracing there
 * is no work. No text of prompts or responses is recorded.
 */
package dev.varve.platform.http.trace;
