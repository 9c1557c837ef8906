/**
 * Dialects of OpenAI: {@link dev.varve.platform.http.openai.ChatCompletionsDialect} for
 * conversations, and {@link dev.varve.platform.http.openai.CompletionRequests} for plain text. Does
 * not depend on sockets or threads.
 */
package dev.varve.platform.http.openai;
