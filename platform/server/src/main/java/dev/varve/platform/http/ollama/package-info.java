/**
 * Ollama's API, for editors that speak nothing else: {@code /api/chat}, {@code /api/generate} and
 * the lists of models. A body is translated into the fields of chat completions, which the dialect
 * of those reads. Knows neither sockets nor threads.
 */
package dev.varve.platform.http.ollama;
