/**
 * OpenAI's chat and text completions: {@link dev.varve.platform.http.openai.ChatRequests} and
 * {@link dev.varve.platform.http.openai.CompletionRequests} make checked requests of bodies, each
 * with the format of its answer. Knows neither sockets nor threads.
 */
package dev.varve.platform.http.openai;
