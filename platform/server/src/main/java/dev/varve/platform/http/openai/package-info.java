/**
 * Dialects of OpenAI: {@link dev.varve.platform.http.openai.ChatDialect} for conversations, and
 * {@link dev.varve.platform.http.openai.CompletionRequests} for bare texts, which are no
 * conversations. Knows neither sockets nor threads.
 */
package dev.varve.platform.http.openai;
