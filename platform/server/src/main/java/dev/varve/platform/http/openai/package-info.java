/**
 * Dialects of OpenAI: {@link dev.varve.platform.http.openai.ChatCompletionsDialect} for
 * conversations, and {@link dev.varve.platform.http.openai.CompletionRequests} for bare texts,
 * which are no conversations. Knows neither sockets nor threads.
 */
package dev.varve.platform.http.openai;
