/**
 * What became of a request, as spans: recorded while it runs, by whoever does something for it, and
 * sent when it has ended. {@link dev.varve.platform.http.trace.Tracing} decides which requests are
 * recorded; where none are, nothing is done. No text of prompts or answers is recorded.
 */
package dev.varve.platform.http.trace;
