/**
 * Streamed answers of a server with OpenAI's API, with the time at which each part came.
 *
 * <p>{@link dev.varve.bench.http.stream.ChatClient} sends requests. The body of an answer passes
 * through {@code StreamBody}, which reads the clock, {@code SseLines}, {@code StreamEvent} and
 * {@code StreamReader} into an {@link dev.varve.bench.http.stream.Answer}. An incomplete answer is
 * a {@link dev.varve.bench.http.stream.ServerFailure}.
 */
package dev.varve.bench.http.stream;
